/** What audiences add to the schema. */
import './audience.type.ts';
import './audience.edges.ts';
import './audience.mutations.ts';
