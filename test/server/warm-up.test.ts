/** A process that is warm before its first request. */
import { Server, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/schema.ts';
import { warmUp } from '../../src/server/process/warm-up.ts';
import { isCall, openFaultUpstream } from '../support/fault-upstream.ts';
import { startGateway } from '../support/gateway-process.ts';

/** The ports of this process that listen. */
const listeningPorts = (): number[] =>
  (process as unknown as { _getActiveHandles(): unknown[] })
    ._getActiveHandles()
    .filter((handle) => handle instanceof Server && handle.listening)
    .map((server) => ((server as Server).address() as AddressInfo).port);

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

  it('is not disturbed by others who come to its ports', async () => {
    const before = new Set(listeningPorts());
    const ports = (): number[] => listeningPorts().filter((port) => !before.has(port));
    const warming = warmUp(schema, 1_000);
    await expect.poll(ports, { interval: 5 }).toHaveLength(2);

    const paths = ['unknown', 'v0/pages/%', 'v0/pages/p'];
    const answers = await Promise.all(
      ports().flatMap((port) => paths.map((path) => fetch(`http://127.0.0.1:${port}/${path}`))),
    );

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 404]));
    expect(await warming).toBeGreaterThan(0);
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
