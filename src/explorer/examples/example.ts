/**
 * What an example is: a document of a real screen, with variables that are about what the backend has.
 *
 * Each is a file of its own below `documents/`, found there at build: adding one touches no other file.
 */
import type { ExampleIds } from './example-ids.ts';

/** In the order in which they are shown. */
export const GROUPS = [
  'Pages',
  'Topics',
  'Accounts and people',
  'Paging',
  'Publishing',
  'Errors and cost',
] as const;

export interface Example {
  readonly group: (typeof GROUPS)[number];
  readonly title: string;
  /** Fragments of `src/client/documents/fragments.graphql` need not be in it. */
  readonly document: string;
  readonly variables: (ids: ExampleIds) => Readonly<Record<string, unknown>>;
}
