/** What persons add to the schema. */
import './person.type.ts';
import './person.queries.ts';
import './person.edges.ts';
