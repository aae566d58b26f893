/**
 * What the parts of the shared state need: a connection, and names in which no caller's key is seen.
 */
import type { Connection } from './connection.ts';
import type { Names } from './names.ts';

export interface Store {
  readonly connection: Connection;
  readonly names: Names;
}
