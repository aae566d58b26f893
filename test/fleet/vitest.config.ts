/** `npm run fleet`: three gateways behind nginx under faults, in some three minutes, and one table. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: [
      // One copy of graphql, as in the configuration of all other tests.
      {
        find: /^graphql$/,
        replacement: fileURLToPath(new URL('../../node_modules/graphql/index.js', import.meta.url)),
      },
    ],
  },
  test: {
    include: ['test/fleet/**/*.test.ts'],
    globalSetup: 'test/support/sample-database.ts',
    setupFiles: 'test/support/close-after-file.ts',
    testTimeout: 180_000,
    hookTimeout: 60_000,
    reporters: ['dot'],
  },
});
