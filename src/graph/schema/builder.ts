/** The schema builder. Resource modules define the types of `/v0`. */
import SchemaBuilder, { type ObjectRef } from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import { API_NAME } from '../../v0/routes.ts';
import type { SchemaShape, Types } from '../entity/entity.ts';
import { DEFAULT_FIRST, MAX_FIRST } from '../loading/page-request.ts';
import { DateTime, Json, SafeInt } from '../types/scalars.ts';
import { nodeOptions } from './node.ts';

export const builder = new SchemaBuilder<SchemaShape>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    ...nodeOptions,
    nodeFieldOptions: { nullable: true },
    edgesFieldOptions: { description: 'Edges of the page, in list order.' },
    pageInfoFieldOptions: {
      description: 'Whether there are more pages, and the cursors to fetch them.',
    },
    cursorFieldOptions: {
      description: 'Opaque cursor of this edge. Pass it as `after` to continue after this edge.',
    },
    firstArgOptions: {
      description: `Maximum number of edges from the start, from 0 to ${MAX_FIRST}. Defaults to ${DEFAULT_FIRST} unless \`last\` is given.`,
    },
    afterArgOptions: {
      description: 'Returns edges after this cursor. Defaults to the start of the list.',
    },
    lastArgOptions: {
      description: `Maximum number of edges from the end, from 0 to ${MAX_FIRST}. Mutually exclusive with \`first\`.`,
    },
    beforeArgOptions: {
      description: 'Returns edges before this cursor. Defaults to the end of the list.',
    },
    pageInfoTypeOptions: { description: 'Pagination state of a connection.' },
    hasNextPageFieldOptions: {
      description:
        'Whether there are edges after this page. If the backend does not report it, true for a full page, and `endCursor` has the error.',
    },
    hasPreviousPageFieldOptions: { description: 'Whether there are edges before this page.' },
    startCursorFieldOptions: { description: 'Cursor of the first edge. Null for an empty page.' },
    endCursorFieldOptions: {
      description:
        'Cursor of the last edge, to pass as `after`. Null for an empty page, and null with an error if the backend does not report whether there is a next page or where it starts.',
    },
  },
});

/**
 * Adds a field to a type.
 *
 * @param options of `t.field`. Pothos cannot infer types from type parameters, so callers check them.
 */
export function addField(
  parent: ObjectRef<Types, unknown> | 'Query',
  name: string,
  options: object,
): void {
  if (parent === 'Query') builder.queryField(name, (t) => t.field(options as never));
  else builder.objectField(parent, name, (t) => t.field(options as never));
}

builder.queryType({ description: `Read access to the ${API_NAME}.` });
builder.addScalarType('DateTime', DateTime);
builder.addScalarType('SafeInt', SafeInt);
builder.addScalarType('JSON', Json);
