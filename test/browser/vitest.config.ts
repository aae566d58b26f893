/** Tests that need Chromium: `npm run test:browser`. */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: 'test/support/sample-database.ts',
    setupFiles: 'test/support/close-after-file.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: process.env['CI'] ? 1 : 0,
    isolate: false,
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
