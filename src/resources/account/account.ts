/** Accounts: what the module adds to the schema. */
import './account.type.ts';
import './account.queries.ts';
