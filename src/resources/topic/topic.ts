/** What topics add to the schema. */
import './topic.type.ts';
import './topic.edges.ts';
import './topic.mutations.ts';
