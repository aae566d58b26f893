/**
 * Types for an app's own documents: a configuration of GraphQL Code Generator with its client preset.
 *
 * Defines types of scalars and the meaning of null for the app's client. See docs/own-documents.md.
 */
import { readFileSync } from 'node:fs';
import type { CodegenConfig } from '@graphql-codegen/cli';
import {
  addTypenameSelectionDocumentTransform,
  preset as clientPreset,
} from '@graphql-codegen/client-preset';

export interface OwnDocuments {
  /** Globs of files with documents, such as `src/**\/*.{ts,tsx}`. */
  readonly documents: string | readonly string[];
  /** Folder of the generated files alone, with a trailing slash. */
  readonly output: string;
  /**
   * Whether the app's client returns partial data with errors, like urql, and Apollo Client with `errorPolicy: 'all'`.
   * Types are then nullable wherever a field can fail; otherwise they are for clients that throw. Defaults to false.
   */
  readonly partial?: boolean;
  /** Extension in imports between generated files: `.ts`, `.js`, or empty. Defaults to empty. */
  readonly importExtension?: '' | '.js' | '.ts';
  /** Types of scalars instead of the package's: `{ DateTime: './date.ts#IsoDate' }`. */
  readonly scalars?: Readonly<Record<string, string>>;
  /** Path or glob of another schema. Defaults to the `schema.graphql` of the package. */
  readonly schema?: string;
}

const SCALARS = {
  DateTime: 'string',
  SafeInt: 'number',
  JSON: 'content-pages-client/json-value#JsonValue',
};

/** The SDL, since a path would be read as a glob, which fails in a folder such as `files (x86)`. */
const schemaOfPackage = (): string =>
  readFileSync(new URL('schema.graphql', import.meta.url), 'utf8');

/** Characters in paths of files that the generator's loaders skip silently. */
const UNREAD = /[!%^<>`‘“]/;

/**
 * Returns a configuration that generates `graphql.ts` with types and documents, `gql.ts` with `graphql()`, and the
 * manifest `persisted-documents.json` in `output`.
 *
 * @throws Error for an `output` without a slash at its end, and in a folder whose documents cannot be found.
 */
export function contentPages({
  documents,
  output,
  partial = false,
  importExtension = '',
  scalars = {},
  schema = schemaOfPackage(),
}: OwnDocuments): CodegenConfig {
  if (!output.endsWith('/')) {
    throw new Error(`output must be a folder with a trailing slash, such as "${output}/".`);
  }
  const [unread] = UNREAD.exec(process.cwd()) ?? [];
  if (unread !== undefined) {
    throw new Error(
      `GraphQL Code Generator finds no documents below a folder with ${unread} in its name. Rename the folder, or run it elsewhere: ${process.cwd()}`,
    );
  }
  return {
    generates: {
      [output]: {
        schema,
        documents: [documents].flat(),
        // Caches need `__typename`, and clients cannot add it to a document that is sent by its id.
        documentTransforms: [addTypenameSelectionDocumentTransform],
        preset,
        presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: 'sha256' } },
        config: {
          importExtension,
          onlyOperationTypes: true,
          useTypeImports: true,
          enumsAsTypes: true,
          strictScalars: true,
          // Clients that throw never return nulls of errors.
          nullability: { errorHandlingClient: !partial },
          scalars: { ...SCALARS, ...scalars },
        },
      },
    },
  };
}

type Preset = typeof clientPreset;
type Plugin = Awaited<ReturnType<Preset['buildGeneratesSection']>>[number]['pluginMap'][string];

/** The client preset with a `graphql()` that rejects unknown documents. */
const preset: Preset = {
  ...clientPreset,
  async buildGeneratesSection(options) {
    const files = await clientPreset.buildGeneratesSection(options);
    return files.map((file) => {
      const graphql = file.pluginMap['gen-dts'];
      if (!graphql) return file;
      return { ...file, pluginMap: { ...file.pluginMap, 'gen-dts': refusing(graphql) } };
    });
  },
};

const refusing = (graphql: Plugin): Plugin => ({
  ...graphql,
  async plugin(...given) {
    const written = await graphql.plugin(...given);
    if (typeof written !== 'string') throw new Error(UNKNOWN_PRESET);
    return refuseUnknown(written);
  },
});

const UNKNOWN_TEXT =
  'graphql() accepts only the exact documents that its types were generated from. ' +
  'Run the code generator again, for your own documents with content-pages-client/codegen.';

const UNKNOWN_PRESET =
  'This version of @graphql-codegen/client-preset generates another graphql(). Install version 5 or 6.';

/** The preset's `graphql()` returns `{}` for unknown documents, which fails far from the cause. */
function refuseUnknown(source: string): string {
  const overload =
    /\/\*\*(?:(?!\*\/)[^])*\*\/\nexport function graphql\(source: string\): unknown;\n/;
  const body = /export function graphql\(source: string\) \{\n {2}return .+ \?\? \{\};\n\}\n/;
  if (!overload.test(source) || !body.test(source)) throw new Error(UNKNOWN_PRESET);
  return source.replace(overload, '').replace(
    body,
    () => `/** @throws for a string that is not one of the documents. */
export function graphql(source: ${JSON.stringify(UNKNOWN_TEXT)}): never;
export function graphql(source: string): unknown {
  if (!Object.hasOwn(documents, source)) {
    throw new Error(${JSON.stringify(`${UNKNOWN_TEXT} Received: `)} + source.trim());
  }
  return documents[source as keyof typeof documents];
}
`,
  );
}
