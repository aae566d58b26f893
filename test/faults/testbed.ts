/**
 * A real gateway before a backend that misbehaves on demand, and the invariants that hold in every test here:
 * I1  a reply is JSON of the right media type, with the right status;
 * I2  no address, key, stack or word of the backend is in a reply, or in what the process writes, except for the line at the
 *     start that names the backend;
 * I3  afterwards `{ __typename }` gets a response;
 * I4  the backend was called exactly as often as expected.
 */
import { expect } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { afterFile } from '../support/after-file.ts';
import {
  openFaultUpstream,
  type FaultUpstream,
  type FaultUpstreamOptions,
} from '../support/fault-upstream.ts';
import {
  KEY,
  OTHER_KEY,
  startGateway,
  type GatewayProcess,
  type GatewayProcessOptions,
  type Reply,
} from '../support/gateway-process.ts';
import { world } from '../support/world.ts';
import { until } from '../support/until.ts';

export { percentile } from '../support/percentile.ts';

export interface Testbed {
  readonly upstream: FaultUpstream;
  readonly gateway: GatewayProcess;
  readonly ask: GatewayProcess['ask'];
  /** Requests the backend saw since the last `holds` or `calm`, without those of `/ready`. */
  readonly hits: number;
  /** Waits until this number of requests is in flight, and has begun its calls as far as it can. */
  underWay(requests: number): Promise<void>;
  /** Asserts I1 to I4. `hits`: how many, or at least and at most. */
  holds(replies: Reply | Reply[], wanted: { hits: number | Range }): Promise<void>;
  /**
   * Lets a hundred calls succeed: fills the retry budget, and outweighs the failures the breaker
   * has counted, so that tests of one process do not depend on their order.
   */
  calm(): Promise<void>;
  /** Resets the count of hits, so that those of a failed test do not count for the next one. */
  forget(): void;
  /** Is called at the end of the test file at the latest. */
  close(): Promise<void>;
}

export type Range = readonly [atLeast: number, atMost: number];

export interface TestbedOptions extends GatewayProcessOptions, FaultUpstreamOptions {
  /** The URL of the backend that the gateway gets, instead of the backend's own. */
  readonly url?: (upstream: FaultUpstream) => string;
}

/** Short time-outs: 400 ms for an attempt, 2.5 s for a request. */
export const IMPATIENT = { UPSTREAM_TIMEOUT_MS: '400', REQUEST_TIMEOUT_MS: '2500' };

export async function openTestbed(
  env: Readonly<Record<string, string>> = IMPATIENT,
  options: TestbedOptions = {},
): Promise<Testbed> {
  const upstream = await openFaultUpstream(options);
  upstream.on('*', world());
  const url = options.url?.(upstream) ?? upstream.url;
  const gateway = await startGateway({ UPSTREAM_URL: url, ...env }, options);
  let counted = 0;
  let read = 0;
  const testbed: Testbed = {
    upstream,
    gateway,
    ask: (...args) => gateway.ask(...args),
    get hits() {
      return upstream.seen.slice(counted).filter(({ headers }) => 'x-request-id' in headers).length;
    },
    underWay: async (requests) => {
      await until(async () =>
        expect(await gateway.metric('gateway_requests_in_flight')).toBe(requests),
      );
      // Gets its response after they have begun.
      await expectAlive(gateway);
    },
    holds: async (replies, { hits }) => {
      for (const reply of [replies].flat()) expectSound(reply, upstream.port);
      const [atLeast, atMost] = typeof hits === 'number' ? [hits, hits] : hits;
      expect(testbed.hits, 'requests the backend saw').toBeGreaterThanOrEqual(atLeast);
      expect(testbed.hits, 'requests the backend saw').toBeLessThanOrEqual(atMost);
      const { output } = gateway;
      const news = output.slice(read);
      read = output.length;
      expectSilent(news, upstream.port);
      await expectAlive(gateway);
      counted = upstream.seen.length;
    },
    calm: async () => {
      for (const ids of CALM_IDS) {
        // Again when a busy machine takes longer than an attempt may.
        await until(async () => {
          const { text, errors } = await gateway.ask(PERSONS, { variables: { ids } });
          expect(errors, text.slice(0, 500)).toEqual([]);
        });
      }
      testbed.forget();
    },
    forget: () => {
      counted = upstream.seen.length;
    },
    close: async () => {
      await gateway.stop('SIGKILL');
      await upstream.stop();
    },
  };
  afterFile(testbed.close);
  return testbed;
}

const PERSONS = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { name } } }';
// No more at a time than one key may have in flight, so that none waits for a turn.
const CALM_IDS = [0, 40, 80].map((from) =>
  Array.from({ length: 40 }, (_, i) => formatNodeId('Person', [`calm-${from + i}`])),
);

/** I1 and I2 of one reply. */
export function expectSound(reply: Reply, upstreamPort: number): void {
  expect(reply.body, `JSON instead of ${reply.text.slice(0, 200)}`).toBeDefined();
  expect(reply.headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json(;|$)/);
  // Not `data`, which throws for invalid documents.
  if (reply.body.data) expect(reply.status).toBe(200);
  else if (reply.body.data === undefined) expect(reply.status).toBeGreaterThanOrEqual(400);
  for (const { message, extensions } of reply.errors) {
    expect(typeof message).toBe('string');
    expect(extensions?.code, message as string).toMatch(/^[A-Z_]+$/);
    expect(extensions.code, 'nothing is unforeseen').not.toBe('INTERNAL_SERVER_ERROR');
  }
  expectNothingOf(reply.text, upstreamPort);
  for (const [name, value] of reply.headers) expectNothingOf(`${name}: ${value}`, upstreamPort);
}

/** I2 of what the process wrote. */
export function expectSilent(output: string, upstreamPort: number): void {
  expectNothingOf(output.replace(/^.*"msg":"Backend: http[^"]*".*$/m, ''), upstreamPort);
  expect(output).not.toMatch(/failed unexpectedly|Unexpected error|Unhandled rejection/);
}

/** I3. */
export async function expectAlive(gateway: Pick<GatewayProcess, 'ask'>): Promise<void> {
  const { data } = await gateway.ask('{ __typename }');
  expect(data).toEqual({ __typename: 'Query' });
}

function expectNothingOf(text: string, port: number): void {
  const secrets = [
    `localhost:${port}`,
    `127.0.0.1:${port}`,
    `[::1]:${port}`,
    KEY,
    OTHER_KEY,
    'SECRET_UPSTREAM_WORD',
    'secret upstream text',
    'node_modules',
    'undici',
  ];
  const leaks = (some: string): boolean =>
    secrets.some((secret) => some.includes(secret)) || some.split('\n').some(isOfStack);
  // Line by line only where there is something to show.
  expect(leaks(text) ? text.split('\n').filter(leaks) : []).toEqual([]);
}

/** `at Socket.onData (file.ts:1:2)`. In two steps, because one pattern for both tries every `at` of a long line. */
function isOfStack(line: string): boolean {
  const at = line.search(/\bat \S/);
  return at !== -1 && /:\d+:\d+/.test(line.slice(at));
}

/**
 * Measures up to `times` times, until it is below the limit: another process may have the machine
 * for a moment, but not every time.
 */
export async function expectBelow(
  limit: number,
  measure: () => Promise<number>,
  times = 5,
): Promise<void> {
  let least = Infinity;
  for (let i = 0; i < times && least >= limit; i++) least = Math.min(least, await measure());
  expect(least).toBeLessThan(limit);
}
