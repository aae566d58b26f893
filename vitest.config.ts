/**
 * How tests run: one copy of graphql, real sockets, a few processes that each run many files, and two suites.
 *
 * `npm test` runs what a contributor needs for each change, `npm run test:system` the folders and files in `SYSTEM`.
 * `npx vitest run test/some.test.ts` finds a file of either suite.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Processes, Redis, faults that take time, clients' packages, the files in `deploy/`, and documentation. */
const SYSTEM = [
  'test/clients/**/*.test.ts',
  'test/deploy/**/*.test.ts',
  'test/extensions/removal.test.ts',
  'test/extensions/federation/{composers,routers}.test.ts',
  'test/extensions/mcp/adapters.test.ts',
  'test/extensions/redis/**/*.test.ts',
  'test/faults/**/*.test.ts',
  'test/processes/**/*.test.ts',
  'test/backend/openapi/**/*.test.ts',
  'test/backend/restart.test.ts',
  'test/journeys/auto-routes.test.ts',
  'test/explorer/copies-compile.test.ts',
  'test/gateway/process.test.ts',
  'test/{gateway,rest,extensions/read-ahead}/memory.test.ts',
  'test/adding-a-resource.test.ts',
  'test/another-api.test.ts',
  'test/docs.test.ts',
];

/**
 * Files that take long for their size, by which Vitest orders new files. Started last, one of them would leave the other
 * processes idle. The first measures memory, which is fast in a new process.
 */
const FIRST = [
  'faults/decode-memory',
  'extensions/removal',
  'gateway/process',
  'processes/commands',
  'adding-a-resource',
  'another-api',
  'faults/live-network',
  'faults/live-process',
  'faults/live-replicas',
  'faults/one-route-gone',
  'clients/package',
].map((name) => fileURLToPath(new URL(`test/${name}.test.ts`, import.meta.url)));

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = new Map(FIRST.map((file, i) => [file, i]));
    const rankOf = ({ moduleId }: TestSpecification) => ranks.get(moduleId) ?? FIRST.length;
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}

export default defineConfig({
  resolve: {
    alias: [
      // Otherwise Vite loads graphql's .mjs for our code and Node its .js for Yoga: with two GraphQLError classes, Yoga would
      // mask all our errors.
      {
        find: /^graphql$/,
        replacement: fileURLToPath(new URL('node_modules/graphql/index.js', import.meta.url)),
      },
    ],
  },
  test: {
    projects: [
      { extends: true, test: { name: 'quick', include: ['test/**/*.test.ts'], exclude: SYSTEM } },
      { extends: true, test: { name: 'system', include: SYSTEM } },
    ],
    globalSetup: 'test/support/sample-database.ts',
    setupFiles: 'test/support/close-after-file.ts',
    exclude: ['test/browser/**', 'test/bench/**', 'test/fleet/**', '**/node_modules/**'],
    // `CASES=20` runs twenty times as many random cases.
    testTimeout: 60_000 * Math.max(1, Number(process.env['CASES'] ?? 1)),
    hookTimeout: 60_000,
    // Real sockets and real time: on a shared machine, one test in a thousand may be late.
    retry: process.env['CI'] ? 1 : 0,
    reporters: process.env['CI'] ? ['default', './.ci/skipped.mjs'] : ['default'],
    pool: 'forks',
    // Loading the gateway takes longer than most files run. It keeps no state between requests.
    isolate: false,
    // Tests measure memory after a collection. A larger young generation than Node's default saves collections.
    execArgv: ['--expose-gc', '--max-semi-space-size=32'],
    sequence: { sequencer: LongestFirst },
    // Tests wait a third of their time.
    maxWorkers: availableParallelism() + 1,
  },
});
