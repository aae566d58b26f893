/**
 * The schema builder. Resource modules define the types of `/v0`.
 */
import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import { API_NAME } from '../../v0/routes.ts';
import type { SchemaShape } from '../entity/schema-shape.ts';
import { DEFAULT_FIRST, MAX_FIRST } from '../loading/page-request.ts';
import { DateTime, Json, SafeInt } from '../types/scalars.ts';
import { nodeOptions } from './node.ts';

export const builder = new SchemaBuilder<SchemaShape>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    ...nodeOptions,
    nodeFieldOptions: { nullable: true },
    edgesFieldOptions: { description: 'Edges of the page, in the order of the list.' },
    pageInfoFieldOptions: {
      description: 'Whether there are more pages, and the cursors that lead to them.',
    },
    cursorFieldOptions: {
      description: 'Opaque cursor of this edge. Pass it as `after` to continue the list after it.',
    },
    firstArgOptions: {
      description: `Maximum number of edges from the start, from 0 to ${MAX_FIRST}. Defaults to ${DEFAULT_FIRST} without \`last\`.`,
    },
    afterArgOptions: {
      description:
        'Cursor of the edge after which the page starts. Defaults to the start of the list.',
    },
    lastArgOptions: {
      description: `Maximum number of edges from the end, from 0 to ${MAX_FIRST}. Cannot be combined with \`first\`.`,
    },
    beforeArgOptions: {
      description:
        'Cursor of the edge before which the page ends. Defaults to the end of the list.',
    },
    pageInfoTypeOptions: { description: 'Pagination state of a connection.' },
    hasNextPageFieldOptions: {
      description:
        'Whether there are edges after this page. Where the backend does not say, true for a page that is full; `endCursor` then has the error.',
    },
    hasPreviousPageFieldOptions: { description: 'Whether there are edges before this page.' },
    startCursorFieldOptions: {
      description: 'Cursor of the first edge. Null when the page is empty.',
    },
    endCursorFieldOptions: {
      description:
        'Cursor of the last edge, to pass as `after`. Null when the page is empty, or with an error when the backend did not say whether there is a next page or where it starts.',
    },
  },
});

builder.queryType({ description: `Read access to the ${API_NAME}.` });
builder.addScalarType('DateTime', DateTime);
builder.addScalarType('SafeInt', SafeInt);
builder.addScalarType('JSON', Json);
