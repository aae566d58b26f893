/** What page links add to the schema. */
import './page-link.type.ts';
import './page-link.edges.ts';
