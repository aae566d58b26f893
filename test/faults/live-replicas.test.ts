/**
 * T99 and T100: two hundred watchers of replicas, which are killed, restarted one after the other and stopped, and whose
 * backend goes away.
 *
 * Clients that reconnect see the final state, and no state after a later one; a stop spreads the ends of streams
 * over half of SHUTDOWN_TIMEOUT_MS, so that their clients do not reconnect at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { statusesOf } from '../live/support.ts';
import { freePort } from '../support/free-port.ts';
import { hasNginx, openNginx } from '../support/nginx.ts';
import { nginxInFrontOf } from '../support/proxy.ts';
import { allSee, expectInOrder, openWatched, watchMany, type Watching } from './live-watchers.ts';
import { until } from '../support/until.ts';

const WATCHERS = 200;

/** The time over which a process ends its streams: long next to the delays of a busy machine. */
const DRAIN_MS = 2_000;

/** How long the backend is unavailable. */
const OUTAGE_MS = 1_000;

const open = (env: Record<string, string> = {}) =>
  openWatched({
    SHUTDOWN_TIMEOUT_MS: String(2 * DRAIN_MS),
    DRAIN_DELAY_MS: '1000',
    ...env,
  });

/** Two replicas behind nginx, as it is shipped, except for the limits of an address. */
async function openReplicas() {
  const { gateway, start, backend } = await open({ PORT: String(await freePort()) });
  const replicas = [gateway, await start({ PORT: String(await freePort()) })];
  const urls = replicas.map((replica) => replica.url);
  const url = await openNginx(urls[0]!, (port, host) =>
    nginxInFrontOf(...urls)(port, host)
      .replace('connections 100', 'connections 10000')
      .replace('50r/s', '5000r/s'),
  );
  return {
    url,
    replicas,
    backend,
    /** Stops a replica, and starts another in its place. */
    restart: async (i: number): Promise<void> => {
      const { port, stop } = replicas[i]!;
      expect(await stop()).toBe(0);
      replicas[i] = await start({ PORT: String(port) });
    },
  };
}

const cutsOf = (watchers: readonly Watching[]) => watchers.flatMap(({ cutMs }) => cutMs);

describe.skipIf(!hasNginx)('two hundred watchers of two replicas behind nginx', () => {
  it('T99 all receive the final state when a replica is killed', async () => {
    const { url, replicas, backend } = await openReplicas();
    const watchers = watchMany({ url }, WATCHERS);
    await allSee(watchers, 'draft');
    backend.state = 'queued';
    await allSee(watchers, 'queued');

    // One replica may have shown a state that the other does not know yet.
    backend.state = 'processing';
    await until(() => watchers.some(({ events }) => statusesOf(events).includes('processing')));
    await replicas[0]!.stop('SIGKILL');
    await allSee(watchers, 'processing');
    backend.state = 'published';
    await until(() => watchers.every(({ isComplete }) => isComplete()));

    expectInOrder(watchers);
    const cut = watchers.filter(({ cutMs }) => cutMs.length > 0).length;
    expect(cut).toBeGreaterThan(0);
    expect(cut).toBeLessThan(WATCHERS);
    for (const name of ['gateway_live_pollers', 'gateway_subscriptions_open']) {
      expect(await replicas[1]!.metric(name), name).toBe(0);
    }
  }, 60_000);

  it('T99 all receive the final state during a rolling restart', async () => {
    const { url, backend, restart } = await openReplicas();
    const watchers = watchMany({ url }, WATCHERS);
    await allSee(watchers, 'draft');

    backend.state = 'queued';
    await restart(0);
    backend.state = 'processing';
    await restart(1);
    await allSee(watchers, 'processing');
    backend.state = 'published';
    await until(() => watchers.every(({ isComplete }) => isComplete()));

    expectInOrder(watchers);
    expect(cutsOf(watchers).length).toBeGreaterThanOrEqual(WATCHERS);
  }, 60_000);
});

describe('two hundred watchers of one gateway', () => {
  it('T99 are disconnected gradually on shutdown, after the gateway reports that it is not ready', async () => {
    const { gateway } = await open();
    const watchers = watchMany(gateway, WATCHERS, false);
    await allSee(watchers, 'draft');

    const stopped = gateway.stop();
    while ((await gateway.get('/ready')).status !== 503);
    expect(cutsOf(watchers)).toEqual([]);

    expect(await stopped).toBe(0);
    await until(() => watchers.every(({ cutMs }) => cutMs.length > 0));
    expect(watchers.some(({ isComplete }) => isComplete())).toBe(false);
    const ends = watchers.map(({ cutMs }) => cutMs[0]!);
    expect(Math.max(...ends) - Math.min(...ends)).toBeGreaterThan(DRAIN_MS / 2);
  }, 60_000);

  it(
    'T100 receive an error next to the last state while the backend is unavailable, and continue when it recovers',
    async () => {
      const { gateway, backend, upstream } = await open();
      const watchers = watchMany(gateway, WATCHERS);
      backend.state = 'queued';
      await allSee(watchers, 'queued');

      await upstream.stop();
      await sleep(OUTAGE_MS);
      await until(() => watchers.every(({ events }) => events.at(-1)!.errors !== undefined));
      const during = watchers.map(({ events }) => events.at(-1)!);
      backend.state = 'processing';
      await upstream.start();
      await allSee(watchers, 'processing');
      backend.state = 'published';
      await until(() => watchers.every(({ isComplete }) => isComplete()));

      expectInOrder(watchers);
      expect(new Set(statusesOf(during))).toEqual(new Set(['queued']));
      expect(cutsOf(watchers)).toEqual([]);
    },
    60_000 + 5 * OUTAGE_MS,
  );
});
