/** Versions of audiences: what the module adds to the schema. */
import './audience-version.type.ts';
import './audience-version.edges.ts';
import './audience-version.mutations.ts';
import './audience-version.subscriptions.ts';
import './page-progress.subscriptions.ts';
