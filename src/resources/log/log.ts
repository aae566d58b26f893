/** What logs add to the schema. */
import './log.type.ts';
import './activity.type.ts';
import './log.edges.ts';
import './activity.edges.ts';
