/** What accounts add to the schema. */
import './account.type.ts';
import './account.edges.ts';
