/** What pages add to the schema. */
import './page.type.ts';
import './page.edges.ts';
import './page.mutations.ts';
