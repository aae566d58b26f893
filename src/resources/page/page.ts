/** Pages: what the module adds to the schema. */
import './page.type.ts';
import './page.queries.ts';
import './page.mutations.ts';
