/**
 * What the compiler does not check. Prettier has the last word on form.
 */
import graphql from '@graphql-eslint/eslint-plugin';
import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores([
    'dist/',
    'dist-client/',
    'coverage/',
    'docs/adding-a-resource/',
    'docs/another-api/',
    'docs/own-documents/',
    'src/client/generated/',
    'test/bench/peers/',
    '**/node_modules/',
  ]),
  {
    files: ['**/*.{js,ts,tsx}'],
    extends: [eslint.configs.recommended, tseslint.configs.strict],
  },
  {
    // Of these the manifests of trusted documents are made.
    files: ['src/client/documents/*.graphql'],
    extends: [graphql.configs['flat/operations-recommended']],
    languageOptions: {
      parser: graphql.parser,
      parserOptions: {
        graphQLConfig: { schema: 'schema.graphql', documents: 'src/client/documents/*.graphql' },
      },
    },
    plugins: { '@graphql-eslint': graphql },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeCheckedOnly],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // node:test-like functions and Fastify-like handlers are async by type, not by need.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      // `{}` says "no more than this" in generics of Pothos and Yoga.
      '@typescript-eslint/no-empty-object-type': 'off',
      // Yoga's and undici's hooks take their arguments apart; none of them uses `this`.
      '@typescript-eslint/unbound-method': 'off',
      // noUncheckedIndexedAccess asks for a `!` where the index is known to be there.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['src/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only main.ts and serve-backend.ts do.' },
        { object: 'Error', property: 'stackTraceLimit', message: 'It belongs to the operator.' },
        { property: 'setFlagsFromString', message: 'Flags of V8 belong to the command line.' },
        { property: '_handle', message: 'It is private to Node.' },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'node:v8',
              importNames: ['setFlagsFromString'],
              message: 'Flags of V8 belong to the command line.',
            },
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'Literal[value=/^\\u002fproc\\b/]', message: 'Only Linux has it.' },
        {
          selector: 'MemberExpression[computed=true] > Identifier.property[name=/^k[A-Z]/]',
          message: 'Symbols such as kSocket are private to Node and undici.',
        },
      ],
    },
  },
  {
    files: ['src/main.ts', 'src/serve-backend.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['test/**'],
    rules: {
      // Answers are read field by field, and a wrong field fails the test anyway.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
