/**
 * Types for an app's own documents: a configuration of GraphQL Code Generator with its client preset.
 *
 * The types of the graph's scalars, and what a null means to the app's client, are decided here once.
 * docs/own-documents.md shows the whole way.
 */
import { fileURLToPath } from 'node:url';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { preset as clientPreset } from '@graphql-codegen/client-preset';

/** What an app says of its documents. */
export interface OwnDocuments {
  /** Globs of the files with documents, such as `src/**\/*.{ts,tsx}`. */
  readonly documents: string | readonly string[];
  /** Folder for the generated files, with a slash at its end. Keep nothing else in it. */
  readonly output: string;
  /**
   * Whether the app's client hands on what arrived of an answer that has errors: Apollo Client with
   * `errorPolicy: 'all'`, urql. Such a client meets a null wherever a field can fail, and the types
   * say so. Without it they are for clients that throw. Defaults to false.
   */
  readonly partial?: boolean;
  /** What the generated files import each other with: `.ts`, `.js`, or nothing. Defaults to nothing. */
  readonly importExtension?: '' | '.js' | '.ts';
  /** Types of scalars in place of the package's: `{ DateTime: './date.ts#IsoDate' }`. */
  readonly scalars?: Readonly<Record<string, string>>;
  /** Path of another schema. Defaults to the `schema.graphql` of the package. */
  readonly schema?: string;
}

/** TypeScript types of the graph's scalars, as code generators write them. */
const SCALARS = {
  DateTime: 'string',
  SafeInt: 'number',
  JSON: 'content-pages-client/json-value#JsonValue',
};

// Globs, which tools make of paths, have no backslashes.
const SCHEMA = fileURLToPath(new URL('schema.graphql', import.meta.url)).replaceAll('\\', '/');

/**
 * The configuration that writes `graphql.ts` with types and documents, `gql.ts` with `graphql()`, and
 * the manifest `persisted-documents.json` into `output`.
 */
export function contentPages({
  documents,
  output,
  partial = false,
  importExtension = '',
  scalars = {},
  schema = SCHEMA,
}: OwnDocuments): CodegenConfig {
  if (!output.endsWith('/')) {
    throw new Error(`output has to be a folder, with a slash at its end: ${output}/`);
  }
  return {
    generates: {
      [output]: {
        schema,
        documents: [documents].flat(),
        preset,
        presetConfig: {
          // Frontends read what they select: masking by fragment is a choice of frameworks.
          fragmentMasking: false,
          // The manifest that a gateway trusts, and each document's hash beside it.
          persistedDocuments: { hashAlgorithm: 'sha256' },
        },
        config: {
          importExtension,
          onlyOperationTypes: true,
          useTypeImports: true,
          enumsAsTypes: true,
          // A scalar that no type is known for stops the generator.
          strictScalars: true,
          // A client that throws never shows the null that stands for an error.
          nullability: { errorHandlingClient: !partial },
          scalars: { ...SCALARS, ...scalars },
        },
      },
    },
  };
}

type Preset = typeof clientPreset;
type Plugin = Awaited<ReturnType<Preset['buildGeneratesSection']>>[number]['pluginMap'][string];

/** The client preset, whose `graphql()` refuses texts that it does not know. */
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
  'graphql() knows the documents that its types were generated from, letter by letter. ' +
  'Generate them again, or yours with content-pages-client/codegen.';

const UNKNOWN_PRESET =
  'This version of @graphql-codegen/client-preset writes graphql() in another way. Install version 5 or 6.';

/** The preset answers an unknown text with `{}`, typed as unknown: a failure far from its cause. */
function refuseUnknown(source: string): string {
  const overload =
    /\/\*\*(?:(?!\*\/)[^])*\*\/\nexport function graphql\(source: string\): unknown;\n/;
  const body = /export function graphql\(source: string\) \{\n {2}return .+ \?\? \{\};\n\}\n/;
  if (!overload.test(source) || !body.test(source)) throw new Error(UNKNOWN_PRESET);
  return source.replace(overload, '').replace(
    body,
    () => `/** @throws for a text that is not one of the documents. */
export function graphql(source: ${JSON.stringify(UNKNOWN_TEXT)}): never;
export function graphql(source: string): unknown {
  if (!Object.hasOwn(documents, source)) {
    throw new Error(${JSON.stringify(`${UNKNOWN_TEXT} It was given: `)} + source.trim());
  }
  return documents[source as keyof typeof documents];
}
`,
  );
}
