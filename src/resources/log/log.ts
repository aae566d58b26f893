/** Logs and activity: what the module adds to the schema. */
import './log-entry.type.ts';
import './log.type.ts';
import './activity.type.ts';
import './log.edges.ts';
import './activity.edges.ts';
