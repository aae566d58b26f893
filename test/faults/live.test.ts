/**
 * T90 to T98: subscriptions whose backend, clients or connections fail.
 *
 * A backend that fails is an event and not an end; states never go back; keys share nothing; and a client that
 * leaves, in any way, leaves nothing behind.
 */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  FAST,
  openEvents,
  openLive,
  openSocket,
  sseClient,
  statusesOf,
  WATCH,
  type Events,
  type Progress,
} from '../live/support.ts';
import { openGateway, type InProcessOptions } from '../support/open-gateway.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { ok, silence, status, type Behaviour } from '../support/faults.ts';
import { ID, inState, VERSION } from './live-watchers.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';

const ROUTE = 'GET /v0/pages/p/audiences/a/versions/v';

/** A gateway before a backend that responds for the version with these behaviours, one after the other. */
const open = (...behaviours: readonly Behaviour[]) => openWith({}, ...behaviours);

async function openWith(options: InProcessOptions, ...behaviours: readonly Behaviour[]) {
  const upstream = await openFaultUpstream();
  onTestFinished(() => upstream.stop());
  upstream.on(ROUTE, ...behaviours);
  const site = await openGateway({
    backend: new URL(upstream.url),
    rest: { timeoutMs: 300 },
    live: { pollMs: { least: 20, most: 60 } },
    ...options,
  });
  return { upstream, site, isQuiet: () => site.gateway.pollers.size === 0 };
}

const codesOf = (events: readonly Progress[]) =>
  events.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions?.['code']));

describe('a subscription', () => {
  it('T90 delivers an error next to the last known state while the backend fails, and continues when it recovers', async () => {
    const { upstream, site } = await open(inState('queued'), status(500));
    const stream = await openEvents(site.url, { id: ID }, { apiKey: 'key' });

    await until(() => codesOf(stream.events).length > 0);
    const failed = stream.events.at(-1)!;
    upstream.on(ROUTE, inState('queued'), inState('published'));
    await stream.ended;

    expect(failed).toMatchObject({
      data: { audienceVersionProgress: { audienceVersion: { status: 'queued' }, isFinal: false } },
      errors: [{ path: ['audienceVersionProgress'] }],
    });
    expect(codesOf([failed])).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(statusesOf(stream.events)).toEqual(['queued', 'published']);
    expect(stream.isComplete()).toBe(true);
  }, 30_000);

  it('T90 starts while the backend is down, and ends when the backend rejects the API key', async () => {
    const { upstream, site, isQuiet } = await open(status(503));
    const stream = await openEvents(site.url, { id: ID }, { apiKey: 'key' });
    await until(() => stream.events.length > 0);
    expect(stream.events[0]).toMatchObject({ data: { audienceVersionProgress: null } });

    upstream.on(ROUTE, status(401));
    await stream.ended;

    expect(codesOf(stream.events).at(-1)).toBe('UNAUTHENTICATED');
    expect(stream.isComplete()).toBe(true);
    await until(isQuiet);
  }, 30_000);

  it('T91 does not poll the backend again before its Retry-After has passed', async () => {
    const { upstream, site } = await open(
      inState('queued'),
      status(429, { 'retry-after': '1' }),
      inState('published'),
    );
    const stream = await openEvents(site.url, { id: ID }, { apiKey: 'key' });

    await stream.ended;

    const [, limited, next] = upstream.seen.filter(({ target }) => target.endsWith('/v'));
    expect(next!.atMs - limited!.atMs).toBeGreaterThan(900);
    expect(statusesOf(stream.events)).toEqual(['queued', 'published']);
  }, 30_000);

  it('T92 delivers no earlier state when an outdated replica responds', async () => {
    const { site } = await open(
      inState('processing'),
      inState('queued'),
      inState('draft'),
      inState('processing'),
      inState('queued'),
      inState('published'),
    );

    const stream = await openEvents(site.url, { id: ID }, { apiKey: 'key' });
    await stream.ended;

    expect(statusesOf(stream.events)).toEqual(['processing', 'published']);
  });

  it('T92 delivers no earlier state after an unknown one', async () => {
    const { site } = await open(
      inState('processing'),
      inState('nonsense'),
      inState('queued'),
      inState('published'),
    );

    const stream = await openEvents(site.url, { id: ID }, { apiKey: 'key' });
    await stream.ended;

    expect(statusesOf(stream.events)).toEqual(['processing', 'unknown', 'published']);
  });

  it('T92 delivers no state that was read before its client subscribed', async () => {
    const { upstream, site } = await open(inState('queued'));
    const first = await openEvents(site.url, { id: ID }, { apiKey: 'key' });
    await until(() => first.events.length > 0);

    // Its client may have seen the next state from another process.
    upstream.on(ROUTE, inState('processing'));
    const second = await openEvents(site.url, { id: ID }, { apiKey: 'key' });
    await until(() => second.events.length > 0);
    // A client that comes while the backend fails has seen no state yet.
    upstream.on(ROUTE, status(500));
    await until(() => codesOf(second.events).length > 0);
    const third = await openEvents(site.url, { id: ID }, { apiKey: 'key' });
    await until(() => third.events.length > 0);

    expect(statusesOf(second.events)).toEqual(['processing']);
    expect(third.events[0]).toMatchObject({ data: { audienceVersionProgress: null } });
    expect(codesOf(third.events)).toEqual(['UPSTREAM_UNAVAILABLE']);
    upstream.on(ROUTE, inState('published'));
    await Promise.all([first, second, third].map(({ ended }) => ended));
    expect(statusesOf(third.events)).toEqual(['none', 'published']);
  }, 30_000);

  it('T93 is polled with its own API key and delivers only what that key can access', async () => {
    const { upstream, site } = await open((response, seen, socket) =>
      (seen.headers['x-api-key'] === 'one' ? inState('queued') : status(404))(
        response,
        seen,
        socket,
      ),
    );

    const first = await openEvents(site.url, { id: ID }, { apiKey: 'one' });
    await until(() => first.events.length > 0);
    const second = await openEvents(site.url, { id: ID }, { apiKey: 'two' });
    await second.ended;

    expect(statusesOf(first.events)).toEqual(['queued']);
    expect(second.events).toEqual([{ data: { audienceVersionProgress: null } }]);
    const keys = new Set(upstream.seen.map(({ headers }) => headers['x-api-key']));
    expect(keys).toEqual(new Set(['one', 'two']));
  });

  it('T94 leaves no watcher or poller behind, however its client disconnects', async () => {
    const live = await openLive();
    const id = await live.draft();
    const { url } = live.site;
    const post = () => rawRequest(url, { id });
    const ways: readonly (() => Promise<void>)[] = [
      async () => (await openEvents(url, { id })).leave(),
      async () => {
        const stream = await openEvents(url, { id });
        await until(() => stream.events.length > 0);
        stream.leave();
      },
      // Before the response, after it, and with a reset.
      async () => void (await post()).destroy(),
      async () => {
        const socket = await post();
        await once(socket, 'data');
        socket.destroy();
      },
      async () => {
        const socket = await post();
        await once(socket, 'data');
        socket.resetAndDestroy();
      },
      async () => {
        const socket = await openSocket(url);
        socket.subscribe('a', { id });
        socket.send({ id: 'a', type: 'complete' });
        await sleep(5);
        socket.socket.close();
      },
      async () => {
        const socket = await openSocket(url);
        for (const name of ['a', 'b', 'c']) socket.subscribe(name, { id });
        socket.socket.terminate();
      },
      async () => {
        const socket = await openSocket(url);
        socket.subscribe('a', { id });
        await until(() => socket.received('next').length > 0);
        // The protocol closes a socket that uses an id twice.
        socket.subscribe('a', { id });
        await socket.closed;
      },
    ];

    for (let round = 0; round < 10; round++) {
      await Promise.all(ways.map((way) => way()));
    }

    await live.quiet();
    expect(await live.readsMeanwhile()).toEqual([]);
  });

  it('T94 leaves no watcher or poller behind when its socket closes right after subscribing', async () => {
    const live = await openLive();
    const id = await live.draft();

    for (let i = 0; i < 20; i++) {
      const socket = await openSocket(live.site.url);
      for (let name = 0; name < 50; name++) socket.subscribe(`${name}`, { id });
      socket.socket.terminate();
    }

    // Is read after their messages.
    const last = await openSocket(live.site.url);
    last.subscribe('last', { id });
    await until(() => last.received('next').length > 0);
    last.socket.terminate();
    await live.quiet();
  });

  it('T94 leaves no watcher or poller behind when the backend does not respond', async () => {
    const { site, isQuiet } = await open(silence());
    const streams: Events[] = [];
    for (let i = 0; i < 5; i++) {
      streams.push(await openEvents(site.url, { id: ID }, { apiKey: 'key' }));
    }
    expect(site.gateway.pollers.size).toBe(1);

    for (const stream of streams) stream.leave();

    await until(isQuiet);
    await until(() => site.gateway.subscriptions.size === 0);
  });

  it('T94 keeps the connection to the backend open when its client disconnects during a poll', async () => {
    const sockets = new Set<Socket>();
    let answered = 0;
    const { upstream, site, isQuiet } = await open(async (response, seen, socket) => {
      sockets.add(socket);
      response.once('close', () => (answered += 1));
      await sleep(20);
      await inState('draft')(response, seen, socket);
    });

    for (let i = 1; i <= 10; i++) {
      const stream = await openEvents(site.url, { id: ID }, { apiKey: 'key' });
      await until(() => upstream.hits(ROUTE) === i);
      stream.leave();
      await until(isQuiet);
      await until(() => answered === i);
      // Is read by the gateway after that response.
      await site.ask('{ __typename }');
    }

    expect(sockets.size).toBe(1);
  });

  /** Responds with one state after another, 60 in all, of half a megabyte each: more than the system takes unread. */
  function largeStates(): { reads: number; readonly behaviour: Behaviour } {
    const states = {
      reads: 0,
      behaviour: ((...args) => {
        states.reads += 1;
        const supplementaryContext = `${states.reads} `.padEnd(500_000, 'x');
        const state = states.reads < 60 ? 'processing' : 'published';
        return ok({ ...VERSION, status: state, supplementaryContext })(...args);
      }) as Behaviour,
    };
    return states;
  }
  const WATCH_LARGE = WATCH.replace('status', 'status supplementaryContext');

  it('T95 buffers only the latest sixteen states for a client that does not read', async () => {
    const states = largeStates();
    // Without a retry on a busy machine, each state is read once.
    const { site } = await openWith({ rest: { timeoutMs: 10_000 } }, states.behaviour);
    const socket = await rawRequest(site.url, { id: ID }, WATCH_LARGE);
    socket.pause();

    await until(() => states.reads >= 60);
    await until(() => site.gateway.pollers.size === 0);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.resume();
    await until(() => text.includes('event: complete'));

    const seen = [...text.matchAll(/"supplementaryContext":"(\d+) /g)].map(([, n]) => Number(n));
    expect(seen.slice(-16)).toEqual(Array.from({ length: 16 }, (_, i) => 45 + i));
    // The system and the write in flight took the first ones.
    expect(seen.at(-17)).toBeLessThan(44);
    expect(text).toContain('"status":"published"');
  }, 30_000);

  it('T95 disconnects a client that has read nothing for five minutes', async () => {
    const clock = new FakeClock();
    const { site } = await openWith({ http: { clock } }, largeStates().behaviour);
    const socket = await rawRequest(site.url, { id: ID }, WATCH_LARGE);
    socket.pause();
    await until(() => clock.waits.length > 0);

    clock.pass(5 * 60_000 - 1);
    expect(site.gateway.subscriptions.size).toBe(1);
    clock.pass(1);

    await until(() => site.gateway.subscriptions.size === 0);
    socket.resume();
    await once(socket, 'close');
    clock.tick();
    await site.server.close(0);
  }, 30_000);

  it('T96 ends without "complete" and closes its socket with 1012 when the process stops', async () => {
    const live = await openLive({ publishDelayMs: 60_000 });
    const id = await live.draft();
    const byHand = await openEvents(live.site.url, { id });
    const socket = await openSocket(live.site.url);
    socket.subscribe('a', { id });
    const errors: unknown[] = [];
    const events: unknown[] = [];
    const client = sseClient(live.site.url);
    client.subscribe(
      { query: WATCH, variables: { id } },
      {
        next: (event) => events.push(event),
        error: (error) => errors.push(error),
        complete: () => errors.push('complete'),
      },
    );
    await until(() => byHand.events.length > 0 && events.length > 0);
    await until(() => socket.received('next').length > 0);

    const closing = live.site.server.close(1_000);
    await byHand.ended;

    expect(byHand.isComplete()).toBe(false);
    expect(await socket.closed).toBe(1012);
    // The client would reconnect with retries; without them it reports an error.
    await until(() => errors.length > 0);
    expect(String(errors[0])).toContain('Connection closed while having active streams');
    expect(await closing).toBe(true);
    await live.quiet();
  }, 30_000);

  it('T96 is ended one after another, spread over the drain period', async () => {
    const clock = new FakeClock();
    const live = await openLive({ publishDelayMs: 60_000, clock });
    const id = await live.draft();
    const streams: Events[] = [];
    let ended = 0;
    for (let i = 0; i < 10; i++) {
      const stream = await openEvents(live.site.url, { id });
      void stream.ended.then(() => (ended += 1));
      streams.push(stream);
    }
    await until(() => {
      clock.pass(FAST.pollMs.least);
      return streams.every(({ events }) => events.length > 0);
    });

    void live.site.gateway.subscriptions.drain(1_000);

    clock.pass(0);
    for (let i = 1; i <= streams.length; i++) {
      await until(() => {
        clock.pass(0);
        return ended === i;
      });
      clock.pass(100);
    }
  });
});

describe('a connection', () => {
  it('T97 is closed with 1009 for a message that is too large and with 4400 for a malformed one', async () => {
    const live = await openLive({ http: { maxBodyBytes: 2_000 } });
    const large = await openSocket(live.site.url);
    large.send({ type: 'ping', payload: { text: 'x'.repeat(3_000) } });
    expect(await large.closed).toBe(1009);

    const broken = await openSocket(live.site.url);
    broken.socket.send('{');
    expect(await broken.closed).toBe(4400);
    await live.quiet();
  });

  it('T97 does not block other clients while it sends a burst of five thousand messages', async () => {
    const live = await openLive();
    const flood = await openSocket(live.site.url);
    const waits = fetch(`${live.site.url}/health`);
    for (let i = 0; i < 5_000; i++) flood.send({ type: 'ping' });

    expect((await waits).status).toBe(200);
    // One gets a response in a turn of the event loop.
    expect(flood.received('pong').length).toBeLessThan(1_000);

    await until(() => flood.received('pong').length === 5_000);
  });

  it('T97 is closed when it sends without reading', async () => {
    const live = await openLive();
    const flood = await openSocket(live.site.url);
    const closed = new Promise((resolve) => flood.socket.once('close', resolve));
    flood.socket.pause();

    // More than the system's buffers and a megabyte.
    for (let i = 0; i < 600; i++) {
      flood.send({ type: 'ping', payload: { text: 'x'.repeat(90_000) } });
    }
    // All is read by the gateway, or rejected.
    await until(
      () => flood.socket.bufferedAmount === 0 || flood.socket.readyState !== flood.socket.OPEN,
    );
    await sleep(300); // the last of it is in the system's buffers, of which nothing tells
    flood.socket.resume();

    await closed;
    expect(flood.received('pong').length).toBeLessThan(600);
  });

  it('T98 receives a normal response to a request that offers another protocol', async () => {
    const live = await openLive();
    const { port } = new URL(live.site.url);
    const body = JSON.stringify({ query: '{ __typename }' });

    for (const upgrade of ['h2c', 'nonsense']) {
      const asked = request({
        port,
        method: 'POST',
        path: '/graphql',
        headers: {
          'content-type': 'application/json',
          connection: 'Upgrade, HTTP2-Settings',
          upgrade,
          'http2-settings': 'AAMAAABkAAQAAP__',
          'content-length': body.length,
        },
      });
      asked.end(body);
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      expect(answer.statusCode).toBe(200);
      let text = '';
      for await (const chunk of answer) text += String(chunk);
      expect(text).toBe('{"data":{"__typename":"Query"}}');
    }
  });
});

/** POSTs a subscription over its own socket; resolves when it is sent. */
async function rawRequest(url: string, variables: object, query = WATCH): Promise<Socket> {
  const body = JSON.stringify({ query, variables });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const lines = [
    'POST /graphql HTTP/1.1',
    'host: gateway',
    'x-api-key: demo',
    'content-type: application/json',
    'accept: text/event-stream',
    `content-length: ${body.length}`,
  ];
  await new Promise((resolve) => socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`, resolve));
  return socket;
}
