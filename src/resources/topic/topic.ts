/** Topics and their entries: what the module adds to the schema. */
import './topic.type.ts';
import './topic.edges.ts';
import './topic.queries.ts';
import './topic.mutations.ts';
