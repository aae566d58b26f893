/** Page links: what the module adds to the schema. */
import './page-link.type.ts';
import './page-link.queries.ts';
import './page-link.edges.ts';
