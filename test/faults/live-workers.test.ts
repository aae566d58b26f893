/**
 * T99 and T100: two hundred watchers through two workers, which are killed, restarted one after the other and
 * stopped, and whose backend goes away.
 *
 * Clients that reconnect see the final state, and no state after a later one; a stop spreads the ends of streams
 * over half of SHUTDOWN_TIMEOUT_MS, so that their clients do not reconnect at once.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { statusesOf } from '../live/support.ts';
import { freePort } from '../support/free-port.ts';
import type { GatewayProcess } from '../support/gateway-process.ts';
import { allSee, expectInOrder, openWatched, watchMany, type Watching } from './live-watchers.ts';
import { until } from '../support/until.ts';

const WATCHERS = 200;

/** The time over which a worker ends its streams: long beside the delays of a busy machine. */
const DRAIN_MS = 2_000;

/** How long the backend is away; LIVE_OUTAGE_SECONDS=10 for longer. */
const OUTAGE_MS = Number(process.env['LIVE_OUTAGE_SECONDS'] ?? 1) * 1_000;

const open = async () =>
  openWatched({
    // A fixed one: when all workers have left a port that the system chose, the next ones get another.
    PORT: String(await freePort()),
    WORKERS: '2',
    SHUTDOWN_TIMEOUT_MS: String(2 * DRAIN_MS),
    DRAIN_DELAY_MS: '1000',
  });

const workersOf = ({ process: { pid } }: GatewayProcess): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/** Stops a worker, and resolves when another has taken its place. */
async function restart(gateway: GatewayProcess, pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  await until(() => !workersOf(gateway).includes(pid));
  await until(() => workersOf(gateway).length === 2);
  // Metrics are answered once a worker serves.
  while ((await gateway.get('/metrics').catch(() => undefined))?.status !== 200) await sleep(50);
}

const cutsOf = (watchers: readonly Watching[]) => watchers.flatMap(({ cutMs }) => cutMs);

describe('two hundred watchers through two workers', () => {
  it('T99 all see the final state when a worker is killed', async () => {
    const { gateway, backend } = await open();
    const watchers = watchMany(gateway, WATCHERS);
    await allSee(watchers, 'draft');
    backend.state = 'queued';
    await allSee(watchers, 'queued');

    // One worker may have shown a state that the other does not know yet.
    backend.state = 'processing';
    await until(() => watchers.some(({ events }) => statusesOf(events).includes('processing')));
    process.kill(workersOf(gateway)[0]!, 'SIGKILL');
    await allSee(watchers, 'processing');
    backend.state = 'published';
    await until(() => watchers.every(({ isComplete }) => isComplete()));

    expectInOrder(watchers);
    const cut = watchers.filter(({ cutMs }) => cutMs.length > 0).length;
    expect(cut).toBeGreaterThan(0);
    expect(cut).toBeLessThan(WATCHERS);
    for (const name of ['gateway_live_pollers', 'gateway_subscriptions_open']) {
      expect(await gateway.metric(name), name).toBe(0);
    }
  }, 60_000);

  it('T99 all see the final state when the workers are restarted one after the other', async () => {
    const { gateway, backend } = await open();
    const watchers = watchMany(gateway, WATCHERS);
    await allSee(watchers, 'draft');

    const [first, second] = workersOf(gateway) as [number, number];
    backend.state = 'queued';
    await restart(gateway, first);
    backend.state = 'processing';
    await restart(gateway, second);
    await allSee(watchers, 'processing');
    backend.state = 'published';
    await until(() => watchers.every(({ isComplete }) => isComplete()));

    // Clients that reconnect over the connection of an ended stream would keep a worker from exiting.
    expect(gateway.output).not.toContain('Time is up');
    expectInOrder(watchers);
    expect(cutsOf(watchers).length).toBeGreaterThanOrEqual(WATCHERS);
  }, 60_000);

  it('T99 are ended by a stop after the gateway is no longer ready, and spread over time', async () => {
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
    'T100 get an error beside the last state while the backend is away, and go on when it is back',
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
