/**
 * How tests run: one copy of graphql, real sockets, a few processes that take file after file, and two lanes.
 *
 * `npm test` runs what a contributor needs at each change, `npm run test:system` the rest: the folders and files
 * of `SYSTEM`. `npx vitest run test/some.test.ts` finds a file of either.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Processes, Redis, faults that take time, clients' packages, what `deploy/` holds, and documentation. */
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
  'test/rest/memory.test.ts',
  'test/extensions/read-ahead/memory.test.ts',
  'test/adding-a-resource.test.ts',
  'test/another-api.test.ts',
  'test/docs.test.ts',
];

/**
 * Files that take long for their size, by which Vitest orders files that it has not run before: begun
 * last, one of them would leave the other processes without work. The first measures memory, which is
 * quick while the process is new and has little of it.
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
      // Vite would load graphql's .mjs for us and Node its .js for Yoga: two GraphQLError classes,
      // and every error of ours masked. One alias keeps one copy.
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
    // `CASES=20` tries twenty times the random cases.
    testTimeout: 60_000 * Math.max(1, Number(process.env['CASES'] ?? 1)),
    hookTimeout: 60_000,
    // Real sockets and real time: on a machine that others use, one test in a thousand may be late.
    retry: process.env['CI'] ? 1 : 0,
    reporters: process.env['CI'] ? ['default', './.ci/skipped.mjs'] : ['default'],
    pool: 'forks',
    // Loading the gateway takes longer than most files do with it. It keeps no state between requests.
    isolate: false,
    // What is said of memory is said after a collection. A young generation larger than Node's own spares
    // tests that compute many of them.
    execArgv: ['--expose-gc', '--max-semi-space-size=32'],
    sequence: { sequencer: LongestFirst },
    // A third of what tests do is wait.
    maxWorkers: availableParallelism() + 1,
  },
});
