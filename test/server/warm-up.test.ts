/** A process that is warm before its first request. */
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/schema.ts';
import { warmUp } from '../../src/server/process/warm-up.ts';
import { isCall, openFaultUpstream } from '../support/fault-upstream.ts';
import { startGateway } from '../support/gateway-process.ts';

describe('the warm-up', () => {
  it('has its queries answered without errors, and stops when its time is over', async () => {
    const startedMs = performance.now();

    expect(await warmUp(schema, 300)).toBeGreaterThan(0);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  it('leaves no server and no connection behind', async () => {
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => /^TCP/.test(name)).length;
    const before = sockets();

    await warmUp(schema, 100);

    await expect.poll(sockets).toBeLessThanOrEqual(before);
  });

  it('does nothing when it may take no time', async () => {
    expect(await warmUp(schema, 0)).toBe(0);
  });

  it('asks nothing of the backend and is not counted as requests', async () => {
    const upstream = await openFaultUpstream();
    const gateway = await startGateway({ UPSTREAM_URL: upstream.url, WARM_UP_MS: '200' });
    try {
      expect(await gateway.metric('gateway_requests_total')).toBe(0);
      expect(upstream.seen.filter(isCall)).toEqual([]);
      expect(gateway.output).not.toContain('could not be warmed');
    } finally {
      await gateway.stop();
      await upstream.stop();
    }
  });
});
