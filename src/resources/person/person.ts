/** What persons add to the schema. */
import './person.type.ts';
import './person.edges.ts';
