/**
 * A gateway process whose backend responds with the state that a test sets, and watchers that reconnect when they
 * are cut off: half of them use graphql-sse's client, half of them graphql-ws's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { statusesOf, WATCH, type Progress } from '../live/support.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { ok, type Behaviour } from '../support/faults.ts';
import {
  KEY,
  startGateway,
  type GatewayProcess,
  type GatewayProcessOptions,
} from '../support/gateway-process.ts';
import { sampleOf } from '../support/world.ts';
import { until } from '../support/until.ts';

const KEYS = { page_id: 'p', audience_id: 'a', version_id: 'v' };
export const ID = formatNodeId('AudienceVersion', Object.values(KEYS));
export const VERSION = sampleOf(routes.getVersion, KEYS);

/** Responds with the version in a state. */
export const inState = (name: string, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  ok({ ...VERSION, status: name }, headers);

export const ORDER = ['draft', 'queued', 'processing', 'published'];

/** A gateway, and a backend that responds for the version with the state of `backend`. */
export async function openWatched(
  env: Readonly<Record<string, string>> = {},
  options: GatewayProcessOptions = {},
) {
  const upstream = await openFaultUpstream();
  onTestFinished(() => upstream.stop());
  const backend = { state: 'draft', headers: {} };
  upstream.on('*', (...args) => inState(backend.state, backend.headers)(...args));
  /** Starts another gateway before the same backend. */
  const start = async (own: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> => {
    const settings = { UPSTREAM_URL: upstream.url, LOG_LEVEL: 'warn', LIVE_POLL_MS: '50..200' };
    const gateway = await startGateway({ ...settings, ...env, ...own }, options);
    onTestFinished(async () => void (await gateway.stop('SIGKILL')));
    return gateway;
  };
  return { gateway: await start(), start, upstream, backend };
}

/** What a client has seen. */
export interface Watching {
  readonly events: Progress[];
  /** The times at which it was cut off. */
  readonly cutMs: number[];
  isComplete(): boolean;
}

/** The watched version, and the key. */
const WATCHED = { id: ID, key: KEY };

/** @param returns whether watchers that are cut off reconnect. */
export const watchMany = (
  gateway: Pick<GatewayProcess, 'url'>,
  count: number,
  returns = true,
  watched = WATCHED,
): Watching[] =>
  Array.from({ length: count }, (_, i) => watch(gateway, i % 2 ? 'sse' : 'ws', returns, watched));

function watch(
  { url }: Pick<GatewayProcess, 'url'>,
  by: 'sse' | 'ws',
  returns: boolean,
  { id, key }: typeof WATCHED,
): Watching {
  const events: Progress[] = [];
  const cutMs: number[] = [];
  let isComplete = false;
  const retryAttempts = 100;
  const wait = async () => {
    cutMs.push(performance.now());
    if (returns) await sleep(20 + Math.random() * 200);
    else await new Promise(() => {});
  };
  const request = { query: WATCH, variables: { id } };
  const sink = {
    next: (event: unknown) => events.push(event as Progress),
    error: () => {},
    complete: () => (isComplete = true),
  };
  const headers = { 'x-api-key': key };
  if (by === 'sse') {
    const client = createSseClient({ url: `${url}/graphql`, headers, retryAttempts, retry: wait });
    onTestFinished(client.subscribe(request, sink));
  } else {
    const client = createWsClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: headers,
      shouldRetry: () => true,
      retryAttempts,
      retryWait: wait,
    });
    // Not its `dispose`, which waits for a connection that may never be tried.
    onTestFinished(client.subscribe(request, sink));
  }
  return { events, cutMs, isComplete: () => isComplete };
}

/** Resolves when the state is the last one that each watcher has seen. */
export const allSee = (watchers: readonly Watching[], state: string): Promise<void> =>
  until(() => watchers.every(({ events }) => statusesOf(events.slice(-1))[0] === state));

/** Expects that each watcher has seen the final state last, and no state after a later one. */
export function expectInOrder(watchers: readonly Watching[]): void {
  for (const { events } of watchers) {
    const seen = statusesOf(events.filter(({ data }) => data?.audienceVersionProgress));
    expect(seen).toEqual(ORDER.filter((state) => seen.includes(state)));
    expect(seen.at(-1)).toBe('published');
  }
}
