/**
 * T99: subscriptions of several workers, of which one is killed, and all of which stop.
 *
 * What is promised. Clients that come again see the final state, and no state after a later one; a
 * stop ends streams spread over LIVE_DRAIN_MS, so that not all of their clients return at once.
 */
import { readFileSync } from 'node:fs';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import {
  openEvents,
  statusesOf,
  until,
  WATCH,
  type Events,
  type Progress,
} from '../live/support.ts';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { IDS } from '../support/ids.ts';

const running: GatewayProcess[] = [];
afterAll(() => Promise.all(running.map((gateway) => gateway.stop('SIGKILL'))));

const ORDER = ['draft', 'queued', 'processing', 'published'];

async function open(env: Record<string, string> = {}) {
  const gateway = await startGateway({
    WORKERS: '2',
    LOG_LEVEL: 'warn',
    LIVE_POLL_MS: '50..200',
    ...env,
  });
  running.push(gateway);
  const { data } = await gateway.ask(
    'mutation ($input: CreateAudienceInput!) { createAudience(input: $input) { audience { latestVersion { id } } } }',
    {
      apiKey: EXAMPLE_API_KEY,
      variables: { input: { pageId: IDS.page, publishBehavior: 'draft' } },
    },
  );
  const id = data.createAudience.audience.latestVersion.id as string;
  return { gateway, id };
}

const workersOf = ({ process: { pid } }: GatewayProcess): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

const PUBLISH =
  'mutation ($id: ID!) { publishAudienceVersion(input: { id: $id }) { audienceVersion { status } } }';

/** Whoever comes again waits up to half a second, and not all as long. */
const RETRIES = {
  retryAttempts: 20,
  retry: () => new Promise<void>((resolve) => setTimeout(resolve, 50 + Math.random() * 450)),
};

/** A client that comes again, and what it has seen. */
function watch(gateway: GatewayProcess, id: string, by: 'sse' | 'ws') {
  const events: Progress[] = [];
  let isComplete = false;
  const request = { query: WATCH, variables: { id } };
  const sink = {
    next: (event: unknown) => events.push(event as Progress),
    error: () => {},
    complete: () => (isComplete = true),
  };
  if (by === 'sse') {
    const headers = { 'x-api-key': EXAMPLE_API_KEY };
    createSseClient({ url: `${gateway.url}/graphql`, headers, ...RETRIES }).subscribe(
      request,
      sink,
    );
  } else {
    createWsClient({
      url: `${gateway.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { 'x-api-key': EXAMPLE_API_KEY },
      shouldRetry: () => true,
      retryAttempts: RETRIES.retryAttempts,
      retryWait: RETRIES.retry,
    }).subscribe(request, sink);
  }
  return { events, isComplete: () => isComplete };
}

describe('subscriptions of several workers', () => {
  it('T99 all see the final state when a worker is killed in the middle', async () => {
    const { gateway, id } = await open();
    const watchers = Array.from({ length: 30 }, (_, i) => watch(gateway, id, i % 3 ? 'sse' : 'ws'));
    await until(() => watchers.every(({ events }) => events.length > 0));

    process.kill(workersOf(gateway)[0]!, 'SIGKILL');
    const publish = () => gateway.ask(PUBLISH, { apiKey: EXAMPLE_API_KEY, variables: { id } });
    // The connection that was kept may have been the killed worker's.
    await publish().catch(publish);
    await until(() => watchers.every(({ isComplete }) => isComplete()));

    for (const { events } of watchers) {
      const ranks = statusesOf(events).map((status) => ORDER.indexOf(status));
      expect(ranks).toEqual([...ranks].sort());
      expect(ranks.at(-1)).toBe(3);
    }
  }, 60_000);

  it('T99 a stop is not ready first, and ends streams one after the other', async () => {
    const { gateway, id } = await open({ LIVE_DRAIN_MS: '1500', SHUTDOWN_TIMEOUT_MS: '8000' });
    const streams: Events[] = [];
    const endedMs: number[] = [];
    for (let i = 0; i < 20; i++) {
      const stream = await openEvents(gateway.url, { id });
      streams.push(stream);
      void stream.ended.then(() => endedMs.push(performance.now()));
    }
    await until(() => streams.every(({ events }) => events.length > 0));

    const code = await gateway.stop();

    await until(() => endedMs.length === streams.length);
    expect(code).toBe(0);
    expect(streams.some(({ isComplete }) => isComplete())).toBe(false);
    expect(endedMs.at(-1)! - endedMs[0]!).toBeGreaterThan(500);
  }, 60_000);
});
