/** What brands add to the schema. */
import './brand.type.ts';
import './brand.edges.ts';
