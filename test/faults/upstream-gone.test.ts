/**
 * T9, T10, T19 to T21: a backend that is down, cannot be found, or cannot be trusted.
 *
 * Each test has its own gateway and mostly waits, so they run concurrently.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { linesOf } from '../support/open-log.ts';
import { openFolder } from '../support/folder.ts';
import { expired, selfSigned, wrongName } from '../support/certificates.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { after, held, status } from '../support/faults.ts';
import { type Reply } from '../support/gateway-process.ts';
import { openSuspendedListener } from '../support/suspended-listener.ts';
import { freePort } from '../support/free-port.ts';
import { openRelay } from '../support/relay.ts';
import { world } from '../support/world.ts';
import { openCallers } from './callers.ts';
import { IMPATIENT, openTestbed, type Testbed } from './testbed.ts';
import { until } from '../support/until.ts';

const scratch = openFolder();

let persons = 0;
/** A query that shares its calls with no other. */
const next = (): string => `{ person(personId: "p${persons++}") { name } }`;

const askMany = (testbed: Testbed, count: number): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, () => testbed.ask(next())));

/** As README's: reads side by side, and more after them. */
const NESTED =
  '{ page(pageId: "page_northwind") { name audiences(first: 3) { nodes { person { name } } } } }';

const WRITE = `mutation { updateTopic(input: { id: ${JSON.stringify(formatNodeId('Topic', ['t']))}, title: "t" }) { topic { title } } }`;

const WELL = { data: { person: { name: 'name' } } };

describe.concurrent('the gateway with an unavailable backend', () => {
  it('T9, T10 limits its attempts during an outage, opens the circuit and probes with one call at a time', async () => {
    const testbed = await openTestbed({});
    const { gateway, upstream } = testbed;
    const logged = () =>
      linesOf(gateway.output)
        .filter(({ scope }) => scope === 'route_key')
        .map(({ state }) => state);
    /** Expects a state of the circuit of a route of a key in the metric, in `/ready` and in the log. */
    const inState = async (state: 'closed' | 'half-open' | 'open') => {
      const level = { closed: 0, 'half-open': 1, open: 2 }[state];
      await until(
        async () =>
          expect(await gateway.metric('gateway_breaker_state', 'scope="route_key"')).toBe(level),
        8_000,
      );
      const { status: code, body } = await gateway.get('/ready');
      expect([code, body.ready]).toEqual([200, true]);
      expect(body.degraded).toBe(state !== 'closed');
      expect(body.upstream.open.map((one: { state: string }) => one.state)).toEqual(
        state === 'closed' ? [] : [state],
      );
      await until(() => expect(logged().at(-1) ?? 'closed').toBe(state));
    };
    await inState('closed');

    upstream.on('*', status(503));
    const wentAt = performance.now();
    const burst: Reply[] = [];
    for (let i = 0; i < 20; i++) burst.push(...(await askMany(testbed, 10)));

    expect(new Set(burst.flatMap(({ codes }) => codes))).toEqual(new Set(['UPSTREAM_UNAVAILABLE']));
    await inState('open');
    await testbed.holds(burst, { hits: [20, 40] });

    const replies: Reply[] = [];
    for (let i = 0; i < 10; i++) replies.push(await testbed.ask(next()));
    expect(new Set(replies.flatMap(({ codes }) => codes))).toEqual(
      new Set(['UPSTREAM_UNAVAILABLE']),
    );
    // All but a probe, which goes out when a busy machine takes longer than the circuit is open.
    const pauses = replies.map(({ errors }) => errors[0].extensions.retryAfterMs as number);
    expect(Math.max(...pauses.filter(Boolean))).toBeGreaterThan(0);
    // A busy machine may take so long that probes go out, one every 5 s.
    await testbed.holds(replies, { hits: [0, Math.floor((performance.now() - wentAt) / 5_000)] });

    await inState('half-open');
    const probed = await askMany(testbed, 20);
    await inState('open');
    await testbed.holds(probed, { hits: 1 });

    const healed = held(world());
    upstream.on('*', healed.behaviour);
    await inState('half-open');
    let ended = 0;
    const probing = Array.from({ length: 20 }, async () => {
      const reply = await testbed.ask(next());
      ended += 1;
      return reply;
    });
    await until(() => expect(testbed.hits).toBe(1));
    // The others are rejected while the probe is in flight.
    await until(() => expect(ended).toBe(19));
    healed.release();
    const answers = await Promise.all(probing);
    await inState('closed');
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    await testbed.holds(answers, { hits: 1 });

    const after = await askMany(testbed, 20);
    expect(after.every(({ errors }) => errors.length === 0)).toBe(true);
    // Half-open once more for each probe that a busy machine did not let connect in time.
    expect(logged().join(' ')).toMatch(/^open( half-open open)+ half-open closed$/);
    await until(async () => expect((await gateway.get('/ready')).status).toBe(200));
    await testbed.holds(after, { hits: 20 });
  });

  it('T26 hides a backend restart from readers after a hundred reads', async () => {
    const restart = async () => {
      const testbed = await openTestbed({});
      testbed.upstream.on('*', after(50, world()));
      const callers = openCallers(testbed.gateway);
      const reads: unknown[] = [];
      const away = async () => {
        // A read that is the first on its connection is retried from the retry budget alone.
        await until(() => expect(reads.length).toBeGreaterThanOrEqual(100));
        const wentAt = performance.now();
        await testbed.upstream.stop();
        await sleep(300);
        await testbed.upstream.start();
        const awayMs = performance.now() - wentAt;
        const readBefore = reads.length;
        await until(() => expect(reads.length).toBeGreaterThanOrEqual(readBefore + 100));
        return awayMs;
      };
      const gone = away();
      await callers.loop(50, gone, async () => {
        reads.push((await callers.ask(next())).body);
      });
      return { testbed, reads, awayMs: await gone };
    };

    let staged = await restart();
    // Restarts of up to 500 ms are hidden; on a busy machine staging one may take longer.
    for (let tries = 0; staged.awayMs > 500 && tries < 2; tries++) staged = await restart();

    expect(staged.reads.filter((body) => !isDeepStrictEqual(body, WELL))).toEqual([]);
    expect(await staged.testbed.gateway.metric('gateway_breaker_opened_total')).toBe(0);
  });

  it('T19 starts without a backend, is degraded until the backend is up, and needs no restart', async () => {
    const testbed = await openTestbed(IMPATIENT, { stopped: true });
    const { gateway, upstream } = testbed;

    const early = await testbed.ask(next());
    const [health, ready] = [await gateway.get('/health'), await gateway.get('/ready')];

    expect(health.status).toBe(200);
    expect(ready).toMatchObject({
      status: 200,
      body: { degraded: true, upstream: { answers: false } },
    });
    expect(early.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
    await testbed.holds(early, { hits: 0 });

    await upstream.start();
    const first = await testbed.ask(next());

    expect(first.body).toEqual(WELL);
    expect((await gateway.get('/ready')).body.degraded).toBe(false);
    await testbed.holds(first, { hits: 1 });
  });

  it('completes the first nested query after an outage once the circuit of the host is half-open', async () => {
    const testbed = await openTestbed(IMPATIENT, { stopped: true });
    const { gateway, upstream } = testbed;
    const breaker = async (): Promise<string> =>
      (await gateway.get('/ready')).body.upstream.breaker as string;
    await until(async () => {
      await testbed.ask(NESTED);
      return (await breaker()) === 'open';
    });

    await upstream.start();
    await until(async () => (await breaker()) === 'half-open');
    const first = await testbed.ask(NESTED);

    expect(first.errors).toEqual([]);
    expect(first.data.page.audiences.nodes[0].person.name).toBe('name');
    expect(await breaker()).toBe('closed');
  });

  it('T20 returns UPSTREAM_UNAVAILABLE while the host name does not resolve, and reaches the backend once it does', async () => {
    const file = join(scratch, 'dns');
    writeFileSync(file, 'ENOTFOUND');
    const testbed = await openTestbed(
      { ...IMPATIENT, STAGED_DNS: file },
      {
        preload: [new URL('staged-dns.ts', import.meta.url).href],
        url: ({ port }) => `http://backend.test:${port}`,
      },
    );

    for (const failure of ['ENOTFOUND', 'EAI_AGAIN']) {
      writeFileSync(file, failure);
      const reply = await testbed.ask(next());
      expect(reply.codes, failure).toEqual(['UPSTREAM_UNAVAILABLE']);
      expect(reply.text).not.toMatch(/backend\.test|getaddrinfo|E[A-Z]{4,}/);
      await testbed.holds(reply, { hits: 0 });
    }
    writeFileSync(file, '127.0.0.1');
    const reply = await testbed.ask(next());

    expect(reply.body).toEqual(WELL);
    await testbed.holds(reply, { hits: 1 });
  });
});

it.skipIf(process.platform !== 'linux')(
  'reaches a backend with a one-second handshake while its other address is unreachable',
  async () => {
    const file = join(scratch, 'two-addresses');
    // Of the block that is never routed (RFC 6666).
    writeFileSync(file, '127.0.0.1 100::1');
    const port = await freePort();
    const { upstream, ask } = await openTestbed(
      { STAGED_DNS: file },
      {
        preload: [new URL('staged-dns.ts', import.meta.url).href],
        url: () => `http://backend.test:${port}`,
      },
    );
    const front = await openSuspendedListener(port, upstream.port);

    // A write, since a read is retried.
    const asked = ask(WRITE);
    await front.waitForIgnored();
    front.resume();

    expect((await asked).body).toEqual({ data: { updateTopic: { topic: { title: 'title' } } } });
  },
);

describe.concurrent('T21 an untrusted backend', () => {
  it('T21 is unavailable with a self-signed certificate and is not retried', async () => {
    const front = await openRelay();
    const testbed = await openTestbed(
      {},
      { certificate: selfSigned, url: () => `https://localhost:${front.port}` },
    );
    front.leadTo(testbed.upstream.port);

    const reply = await testbed.ask(next());

    expect(reply.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(front.connections, 'a certificate is not replaced within a request').toBe(1);
    expect(reply.text).not.toMatch(/certificate|self.signed/i);
    await testbed.holds(reply, { hits: 0 });
  });

  it('T21, T53 is unavailable with a wrong name, an expired certificate, plain HTTP or no response, and serves requests once its certificate is valid', async () => {
    const trusted = join(scratch, 'trusted.pem');
    writeFileSync(trusted, [selfSigned, wrongName, expired].map(({ cert }) => cert).join(''));
    const front = await openRelay();
    // The default time-outs: 2 s for a connection, 3 s for an attempt.
    const testbed = await openTestbed(
      { NODE_EXTRA_CA_CERTS: trusted },
      { url: () => `https://localhost:${front.port}` },
    );
    const ask = async (port: number | undefined) => {
      front.leadTo(port);
      const reply = await testbed.ask(next());
      return { reply, connections: front.connections };
    };

    for (const certificate of [wrongName, expired]) {
      const backend = await openFaultUpstream({ certificate });
      const { reply, connections } = await ask(backend.port);
      expect(reply.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
      expect(reply.text).not.toMatch(/certificate|expired|altname|elsewhere/i);
      expect(connections, 'a certificate is not replaced within a request').toBe(1);
      expect(backend.hits()).toBe(0);
      await backend.stop();
      await testbed.holds(reply, { hits: 0 });
    }
    const { reply: plain, connections } = await ask(testbed.upstream.port);
    expect(plain.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(connections, 'a backend does not begin to speak TLS within a request').toBe(1);
    await testbed.holds(plain, { hits: 0 });

    // T53: a write that found no connection in time was not applied, and is not retried.
    front.leadTo(undefined);
    const [read, write] = await Promise.all([testbed.ask(next()), testbed.ask(WRITE)]);
    expect([...read.codes, ...write.codes]).toEqual(Array(2).fill('UPSTREAM_UNAVAILABLE'));
    expect(write.errors[0].extensions).not.toHaveProperty('state');
    expect(Math.max(read.tookMs, write.tookMs)).toBeLessThan(10_400);
    await testbed.holds([read, write], { hits: 0 });

    const good = await openFaultUpstream({ certificate: selfSigned });
    good.on('*', world());
    const { reply: well } = await ask(good.port);
    expect(well.body, 'the same gateway, once all is well').toEqual(WELL);
    await good.stop();
    await testbed.holds(well, { hits: 0 });
  });
});
