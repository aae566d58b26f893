/**
 * Three gateway processes that share a Redis: the one that polls is killed, stopped or paused.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { statusesOf, type Events } from '../live/support.ts';
import { openFolder } from '../support/folder.ts';
import { selfSigned } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { hasRedis, openRedis } from '../support/redis.ts';
import { openBackend, watchAll } from './support.ts';
import { until } from '../support/until.ts';

const SECRET = 'a secret of the tests';

async function openFleet(settings: Readonly<Record<string, string>> = {}) {
  const redis = await openRedis();
  const backend = await openBackend();
  const replicas = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const replica = await startGateway({
        ...{ UPSTREAM_URL: backend.url, REDIS_URL: redis.url, REDIS_SECRET: SECRET },
        ...{ LOG_LEVEL: 'warn', LIVE_POLL_MS: '50..50', ...settings },
      });
      onTestFinished(async () => void (await replica.stop('SIGKILL')));
      return replica;
    }),
  );
  const watchers = await watchAll(replicas, 30);
  await allSee(watchers, 'draft');
  let holder: GatewayProcess | undefined;
  while (!holder) holder = await holderOf(replicas);
  const rest = replicas.filter((replica) => replica !== holder);
  const at = replicas.indexOf(holder);
  return {
    ...{ redis, backend, replicas, holder, rest, watchers },
    /** Those at the replicas that do not poll. */
    others: watchers.filter((_, i) => i % 3 !== at),
  };
}

const holds = (replica: GatewayProcess) => replica.metric('gateway_live_leases', 'role="holder"');

async function holderOf(replicas: readonly GatewayProcess[]) {
  for (const replica of replicas) if ((await holds(replica)) === 1) return replica;
  return undefined;
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
  it('have another one poll within seconds when the one that polls is killed', async () => {
    const { backend, holder, rest, others } = await openFleet();
    backend.state = 'queued';
    await allSee(others, 'queued');

    await holder.stop('SIGKILL');
    backend.state = 'processing';
    // Whose connection was lost comes to another replica, and sees nothing from before.
    const returned = await watchAll(rest, 10);
    await until(() => returned.every(({ events }) => events.length > 0));
    for (const { events } of returned) expect(statusesOf(events)[0]).toBe('processing');
    await allSee(others, 'processing');
    while (!(await holderOf(rest)));
    backend.state = 'published';
    await allSee([...others, ...returned], 'published');

    expectInOrder([...others, ...returned]);
  });

  it('have another one poll at once when the one that polls is stopped', async () => {
    const { backend, holder, rest, others } = await openFleet({
      DRAIN_DELAY_MS: '0',
      SHUTDOWN_TIMEOUT_MS: '4000',
    });

    const stopped = holder.stop();
    while (!(await holderOf(rest)));
    expect(await stopped).toBe(0);
    backend.state = 'published';
    await allSee(others, 'published');

    expectInOrder(others);
  });

  it('go on without one that is paused while it polls, and what it shares later is refused', async () => {
    const { backend, holder, rest, watchers, others } = await openFleet();
    backend.state = 'queued';
    await allSee(watchers, 'queued');

    holder.process.kill('SIGSTOP');
    onTestFinished(() => void holder.process.kill('SIGCONT'));
    // Until it has stopped indeed: nobody reads any more.
    for (let reads = -1; reads !== backend.reads; await sleep(300)) reads = backend.reads;
    backend.state = 'processing';
    await allSee(others, 'processing');
    await sleep(500);
    holder.process.kill('SIGCONT');
    await until(() => watchers.every(({ events }) => statusesOf(events).at(-1) === 'processing'));
    while (!(await holderOf(rest)));
    expect(await holds(holder)).toBe(0);
    backend.state = 'published';
    await allSee(watchers, 'published');

    expectInOrder(watchers);
  }, 90_000);

  it('show no key of a caller, and keep nothing for ever, in Redis', async () => {
    const { redis, backend, watchers } = await openFleet();
    backend.state = 'queued';
    await allSee(watchers, 'queued');

    const names = (await redis.command('KEYS', '*')) as string[];
    const channels = (await redis.command('PUBSUB', 'CHANNELS')) as string[];
    expect(names.length).toBeGreaterThan(0);
    for (const name of [...names, ...channels]) {
      expect(name).toMatch(/^gateway:1:(pauses|generations|[a-z]+:\{[\w-]{22}\}:[a-z]+)$/);
    }
    for (const name of names) {
      expect(await redis.command('PTTL', name)).toBeGreaterThan(0);
      expect(String(await redis.command('GET', name))).not.toContain('key');
    }
  });

  it('reach Redis by TLS, with a certificate of an authority of their own', async () => {
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
    expect(other.output).toContain('Redis does not answer: this process goes on alone');
    expect(trusting.output + other.output).not.toMatch(/password of a|password%20of/);
  });
});
