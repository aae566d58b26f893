/**
 * T101 to T103: a process with many watchers: its wall clock jumps, ten thousand subscriptions come and go, two
 * thousand stay idle.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { WATCH } from '../live/support.ts';
import { KEY, type Gauge, type GatewayProcess } from '../support/gateway-process.ts';
import { allSee, expectInOrder, ID, openWatched, watchMany } from './live-watchers.ts';
import { until } from '../support/until.ts';

const preload = (name: string) => [new URL(`../support/${name}`, import.meta.url).href];

/** Resolves when there are no subscriptions, watchers and pollers. */
async function quiet(gateway: GatewayProcess): Promise<void> {
  for (const name of [
    'gateway_subscriptions_open',
    'gateway_live_watchers',
    'gateway_live_pollers',
  ])
    await until(async () => (await gateway.metric(name)) === 0);
}

interface Closable {
  destroy(): unknown;
}

/** A stream of events with as few objects as possible; resolves with its first event. */
async function openStream(port: number): Promise<Socket> {
  const body = JSON.stringify({ query: WATCH, variables: { id: ID } });
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write(
    [
      'POST /graphql HTTP/1.1',
      'host: gateway',
      `x-api-key: ${KEY}`,
      'content-type: application/json',
      'accept: text/event-stream',
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes('event: next')) break;
  }
  return socket.resume();
}

/** A socket with `count` subscriptions, each of which has had its first event. */
async function openSubscribed(url: string, count: number) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => {});
  await once(socket, 'open');
  let heard = 0;
  const all = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      if ((data as Buffer).includes('"type":"next"') && ++heard === count) resolve();
    });
  });
  socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': KEY } }));
  await once(socket, 'message');
  for (let i = 0; i < count; i++) {
    const payload = { query: WATCH, variables: { id: ID } };
    socket.send(JSON.stringify({ id: `s${i}`, type: 'subscribe', payload }));
  }
  await all;
  return Object.assign(socket, { destroy: () => socket.terminate() });
}

/** Opens `count` of something, `most` at a time. */
async function openMany<T>(count: number, open: () => Promise<T>, most = 100): Promise<T[]> {
  const opened: T[] = [];
  while (opened.length < count) {
    const batch = Math.min(most, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: batch }, open))));
  }
  return opened;
}

describe('a process with live subscriptions', () => {
  it('T101 delivers every state to ten watchers while its wall clock jumps', async () => {
    const { gateway, backend } = await openWatched({}, { preload: preload('jumping-clock.mjs') });
    const watchers = watchMany(gateway, 10);
    await allSee(watchers, 'draft');

    for (const state of ['queued', 'processing', 'published']) {
      await sleep(300); // three jumps of the wall clock
      backend.state = state;
      await allSee(watchers, state);
    }
    await until(() => watchers.every(({ isComplete }) => isComplete()));

    expectInOrder(watchers);
    expect(watchers.flatMap(({ cutMs }) => cutMs)).toEqual([]);
    await quiet(gateway);
  });

  it('T102 leaks no heap, handles or pollers after ten thousand subscriptions that end in seven ways', async () => {
    const { gateway, backend } = await openWatched(
      { LIVE_POLL_MS: '50..1000' },
      { gauged: true, preload: preload('quick-pings.mjs') },
    );
    const { url, port } = gateway;
    backend.state = 'queued';
    /** 500 subscriptions. */
    const round = async () => {
      const ways: readonly (() => Promise<unknown>)[] = [
        // Closed, reset, and cancelled before there is a response.
        async () => (await openMany(50, () => openStream(port))).map((one) => one.end()),
        async () =>
          (await openMany(30, () => openStream(port))).map((one) => one.resetAndDestroy()),
        async () => {
          const leaving = new AbortController();
          const headers = {
            'content-type': 'application/json',
            accept: 'text/event-stream',
            'x-api-key': KEY,
          };
          const body = JSON.stringify({ query: WATCH, variables: { id: ID } });
          const init = { method: 'POST', headers, body, signal: leaving.signal };
          const asked = Array.from({ length: 20 }, () => fetch(`${url}/graphql`, init));
          await sleep(1);
          leaving.abort();
          await Promise.allSettled(asked);
        },
        async () => (await openSubscribed(url, 100)).close(),
        async () => (await openSubscribed(url, 100)).terminate(),
        async () => {
          const socket = await openSubscribed(url, 100);
          for (let i = 0; i < 100; i++)
            socket.send(JSON.stringify({ id: `s${i}`, type: 'complete' }));
          socket.close();
        },
        // Its client does not respond any more, and does not close the connection.
        async () => {
          const socket = await openSubscribed(url, 100);
          socket.pause();
          onTestFinished(() => socket.terminate());
        },
      ];
      await Promise.all(ways.map((way) => way()));
    };
    /** After the last poller and the last half-open socket have gone. */
    const measure = async (): Promise<Gauge> => {
      await quiet(gateway);
      await sleep(200);
      return gateway.gauge();
    };

    for (let i = 0; i < 4; i++) await round();
    const before = await measure();
    for (let i = 0; i < 16; i++) await round();
    const after = await measure();

    expect(await gateway.metric('gateway_subscription_events_total')).toBeGreaterThan(9_000);
    expect(after.handles).toBeLessThanOrEqual(before.handles + 5);
    expect(after.heapBytes - before.heapBytes).toBeLessThan(2_000_000);
    const seen = await gateway.metric('gateway_live_polls_total');
    await sleep(300); // several polls, if a poller had stayed that no metric counts
    expect(await gateway.metric('gateway_live_polls_total')).toBe(seen);
  });

  it('T103 needs at most 60 MB for two thousand idle watchers over event streams and WebSockets', async () => {
    const { gateway } = await openWatched({ LIVE_POLL_MS: '1000..60000' }, { gauged: true });
    const { port, url } = gateway;
    const ways: readonly [how: string, each: number, open: () => Promise<Closable>][] = [
      ['streams of events', 1, () => openStream(port)],
      ['sockets', 1, () => openSubscribed(url, 1)],
      ['sockets with a hundred subscriptions each', 100, () => openSubscribed(url, 100)],
    ];
    // Warms the process up.
    await openMany(1_000, () => gateway.ask('{ topics(first: 1) { nodes { id } } }'));
    const before = await gateway.gauge();
    const grown: { heap: number; resident: number }[] = [];

    for (const [how, each, open] of ways) {
      const opened = await openMany(2_000 / each, open, 100 / each);
      expect(await gateway.metric('gateway_live_watchers')).toBe(2_000);
      const { heapBytes, rssBytes } = await gateway.gauge();
      for (const one of opened) one.destroy();
      await quiet(gateway);
      const heap = heapBytes - before.heapBytes;
      grown.push({ heap, resident: rssBytes - before.rssBytes });
      expect(heap, how).toBeLessThan(60_000_000);
    }

    // For later ways it includes memory that the process has kept from earlier ones.
    expect(grown[0]!.resident).toBeLessThan(60_000_000);
  }, 180_000);
});
