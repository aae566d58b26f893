/** What logs add to the schema. */
import './log.type.ts';
import './log.edges.ts';
