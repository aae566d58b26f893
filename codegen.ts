/**
 * Typed documents for frontends: `src/client/documents/*.graphql` → `src/client/generated/`, for
 * clients that throw, and in its folder `partial` for those that keep what arrived; and the rules for
 * caches beside them.
 *
 * Run by `npm run codegen`, after `schema.graphql` has been written from the builder.
 */
import type { CodegenConfig } from '@graphql-codegen/cli';
import { cacheRulesPreset } from './src/client/cache/rules.preset.ts';
import { contentPages } from './src/client/codegen.ts';

const schema = 'schema.graphql';
const own = {
  schema,
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
    'src/client/generated/cache-rules.ts': { schema, preset: cacheRulesPreset },
  },
};

export default config;
