/**
 * Typed documents for frontends: `src/client/documents/*.graphql` → `src/client/generated/`.
 *
 * Run by `npm run codegen`, after `schema.graphql` has been written from the builder.
 */
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'src/client/documents/*.graphql',
  generates: {
    'src/client/generated/': {
      preset: 'client',
      // Frontends read what they select: masking by fragment is a choice of frameworks.
      presetConfig: {
        fragmentMasking: false,
        // The manifest that a gateway trusts, and each document's hash beside it.
        persistedDocuments: { hashAlgorithm: 'sha256' },
      },
      config: {
        importExtension: '.ts',
        onlyOperationTypes: true,
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        // Clients that read `errors` never see the null that stands for one.
        nullability: { errorHandlingClient: true },
        defaultScalarType: 'unknown',
        scalars: { DateTime: 'string', SafeInt: 'number', JSON: 'unknown' },
      },
    },
  },
};

export default config;
