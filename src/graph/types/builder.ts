/**
 * The one schema builder. It defines no types of `/v0`: resource modules add theirs.
 */
import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { Context } from '../context.ts';
import { typenameOf } from './typename.ts';
import { DateTime, Json, SafeInt, type ScalarTypes } from './scalars.ts';

/** What the schema is built of, for helpers that take a field builder. */
// A type, not an interface: Pothos wants the index signature that only types have implicitly.
export type SchemaShape = {
  Context: Context;
  Scalars: ScalarTypes;
  DefaultFieldNullability: false;
  DefaultNodeNullability: true;
};

/** The schema's types as Pothos completes them. */
export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaShape>;

export const ID_DESCRIPTION = 'The global id: opaque, stable, and all that `node` needs.';

export const builder = new SchemaBuilder<SchemaShape>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    // Ids arrive as plain ID arguments and are parsed by node-id.ts, which refuses them with a code.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    cursorType: 'String',
    idFieldOptions: { description: ID_DESCRIPTION },
    clientMutationId: 'omit',
    nodeTypeOptions: {
      description: 'An object that has a global id and can be read again by it.',
      resolveType: (value) => typenameOf(value as object),
    },
    pageInfoTypeOptions: { description: 'Where a page of a connection stands in its list.' },
    hasNextPageFieldOptions: { description: 'Whether anything follows this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether anything stands before this page.' },
    startCursorFieldOptions: {
      description: 'The cursor of the first edge; null on an empty page.',
    },
    endCursorFieldOptions: {
      description: 'The cursor of the last edge, to pass as `after`; null on an empty page.',
    },
  },
});

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({
  description:
    'Everything that can be written. A mutation answers a payload with the object and `userErrors`; each is sent to the backend at most once.',
});

builder.addScalarType('DateTime', DateTime);
builder.addScalarType('SafeInt', SafeInt);
builder.addScalarType('JSON', Json);
