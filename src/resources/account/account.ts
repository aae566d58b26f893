/** The account room: what it adds to the schema. */
import './account.type.ts';
import './account.queries.ts';
