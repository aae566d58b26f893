/**
 * Three gateway processes that share a Redis: each polls for its own watchers, and none needs Redis for it.
 */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { statusesOf, type Events } from '../../live/support.ts';
import { openFolder } from '../../support/folder.ts';
import { selfSigned } from '../../support/certificates.ts';
import { freePort } from '../../support/free-port.ts';
import { startGateway } from '../../support/gateway-process.ts';
import { hasRedis, openRedis, openSentinel } from '../../support/redis.ts';
import { openBackend, watchAll } from './support.ts';
import { until } from '../../support/until.ts';

const SECRET = 'a secret of the tests';

/** The time between two polls of an object, in milliseconds. */
const POLL_MS = 50;

async function openFleet() {
  const redis = await openRedis();
  const backend = await openBackend();
  const replicas = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const replica = await startGateway({
        UPSTREAM_URL: backend.url,
        REDIS_URL: redis.url,
        REDIS_SECRET: SECRET,
        LOG_LEVEL: 'warn',
        LIVE_POLL_MS: `${POLL_MS}..${POLL_MS}`,
      });
      onTestFinished(async () => void (await replica.stop('SIGKILL')));
      return replica;
    }),
  );
  const watchers = await watchAll(replicas, 30);
  await allSee(watchers, 'draft');
  return { redis, backend, replicas, watchers };
}

const allSee = (watchers: readonly Events[], state: string) =>
  until(() => watchers.every(({ events }) => statusesOf(events).at(-1) === state));

function expectInOrder(watchers: readonly Events[]): void {
  const order = ['draft', 'queued', 'processing', 'published'];
  for (const { events } of watchers) {
    const seen = statusesOf(events);
    expect(seen).toEqual(order.filter((state) => seen.includes(state)));
    expect(seen.at(-1)).toBe('published');
  }
}

describe.skipIf(!hasRedis)('three replicas', () => {
  it('run one poller each for all watchers of a version', async () => {
    const { backend, watchers } = await openFleet();

    backend.reads = 0;
    const startMs = performance.now();
    await until(() => backend.reads >= 12);
    const { reads } = backend;
    const most = 3 * ((performance.now() - startMs) / (POLL_MS * 0.9) + 1);
    backend.state = 'published';
    await allSee(watchers, 'published');

    expect(reads).toBeLessThanOrEqual(most);
    expectInOrder(watchers);
  });

  it('keep sending states when Redis and one replica are killed, and send the current state to new watchers', async () => {
    const { redis, backend, replicas, watchers } = await openFleet();
    const [killed, ...rest] = replicas;
    const others = watchers.filter((_, i) => i % 3 !== 0);

    await redis.kill();
    await killed!.stop('SIGKILL');
    backend.state = 'processing';
    const returned = await watchAll(rest, 10);
    await until(() => returned.every(({ events }) => events.length > 0));
    for (const { events } of returned) expect(statusesOf(events)[0]).toBe('processing');
    backend.state = 'published';
    await allSee([...others, ...returned], 'published');

    expectInOrder([...others, ...returned]);
  });

  it('work independently and log why when REDIS_URL points to Redis Cluster or Redis Sentinel', async () => {
    const [cluster, sentinel] = [await freePort(), await freePort()];
    await openRedis('--port', String(cluster), '--cluster-enabled', 'yes');
    await openSentinel(sentinel);
    for (const [port, name] of [
      [cluster, 'Redis Cluster'],
      [sentinel, 'Redis Sentinel'],
    ] as const) {
      const REDIS_URL = `redis://127.0.0.1:${port}`;
      const gateway = await startGateway({ REDIS_URL, UPSTREAM_URL: 'http://127.0.0.1:1' });

      await until(() => expect(gateway.output).toContain(name));
      expect(await gateway.metric('gateway_shared_state_available')).toBe(0);
    }
  });

  it('reach Redis over TLS with a certificate of NODE_EXTRA_CA_CERTS, and work independently without it', async () => {
    const port = await freePort();
    const folder = openFolder({ 'cert.pem': selfSigned.cert, 'key.pem': selfSigned.key });
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    await openRedis(
      ...['--tls-port', String(port), '--tls-cert-file', cert, '--tls-key-file', key],
      ...['--tls-auth-clients', 'no', '--requirepass', 'the password of a test'],
    );
    const settings = {
      REDIS_URL: `rediss://:the%20password%20of%20a%20test@localhost:${port}`,
      UPSTREAM_URL: 'http://127.0.0.1:1',
    };

    const trusting = await startGateway({ ...settings, NODE_EXTRA_CA_CERTS: cert });
    const other = await startGateway(settings);

    expect(await trusting.metric('gateway_shared_state_available')).toBe(1);
    expect(await other.metric('gateway_shared_state_available')).toBe(0);
    expect(other.output).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(trusting.output + other.output).not.toMatch(/password of a|password%20of/);
  });
});
