/**
 * Typed documents for frontends: `src/client/documents/*.graphql` → `src/client/generated/`, for
 * clients that throw, and in its folder `partial` for those that keep what arrived.
 *
 * Run by `npm run codegen`, after `schema.graphql` has been written from the builder.
 */
import type { CodegenConfig } from '@graphql-codegen/cli';
import { contentPages } from './src/client/codegen.ts';

const own = {
  schema: 'schema.graphql',
  documents: 'src/client/documents/*.graphql',
  importExtension: '.ts',
} as const;

const config: CodegenConfig = {
  generates: {
    ...contentPages({
      ...own,
      output: 'src/client/generated/',
      scalars: { JSON: '../json-value.ts#JsonValue' },
    }).generates,
    ...contentPages({
      ...own,
      output: 'src/client/generated/partial/',
      partial: true,
      scalars: { JSON: '../../json-value.ts#JsonValue' },
    }).generates,
  },
};

export default config;
