/** Persons: what the module adds to the schema. */
import './person.type.ts';
import './person.queries.ts';
import './person.edges.ts';
