/** Messages about the backend in the log, from the start to the stop, and in `/ready`. */
import { expect, it, onTestFinished } from 'vitest';
import { linesOf } from '../support/open-log.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { silence } from '../support/faults.ts';
import { startGateway } from '../support/gateway-process.ts';
import { hasRedis, openRedis } from '../support/redis.ts';
import { openSmallBackend } from '../support/small-backend.ts';
import { until } from '../support/until.ts';
import { world } from '../support/world.ts';

const TOPICS = '{ topics(first: 1) { nodes { title } } }';

const logOf = ({ output }: { readonly output: string }) => linesOf(output);

/** Lines that report the end of an outage. */
const recoveriesOf = (gateway: { readonly output: string }) =>
  logOf(gateway).filter((line) => 'unavailableMs' in line);

const INFO = 'info';
const WARN = 'warn';

it('logs its backend at the start, even with LOG_LEVEL=error', async () => {
  const small = await openSmallBackend();
  const deployment = await startGateway({ UPSTREAM_URL: `${small.url}/`, LOG_LEVEL: 'error' });
  const embedded = await startGateway({ UPSTREAM_URL: '', LOG_LEVEL: 'error' });

  const [first] = logOf(deployment);
  expect(first).toMatchObject({ level: INFO, msg: `Backend: ${small.url}` });
  expect(logOf(embedded)[0]!['msg']).toMatch(/^Backend: embedded/);
  expect((await embedded.get('/ready')).body).not.toHaveProperty('warnings');
});

it('warns about sample data in production, in the log and in /ready', async () => {
  const gateway = await startGateway({ NODE_ENV: 'production' });
  const { body } = await gateway.get('/ready');
  expect(body).toMatchObject({ ready: true, warnings: [expect.stringContaining('UPSTREAM_URL')] });
  const [warning] = body.warnings;
  expect(logOf(gateway)).toContainEqual(expect.objectContaining({ level: WARN, msg: warning }));
});

it('logs that the backend is available again', async () => {
  const backend = await openFaultUpstream({ stopped: true });
  const gateway = await startGateway({ UPSTREAM_URL: backend.url });
  await gateway.ask(TOPICS);
  backend.on('*', world());
  await backend.start();
  onTestFinished(() => backend.stop());

  await until(async () => {
    await gateway.ask(TOPICS);
    return recoveriesOf(gateway).length > 0;
  });
});

it.each(['before any request', 'by its first request'])(
  'logs once that a backend that was unavailable at startup has become available, detected %s',
  async (how) => {
    const backend = await openFaultUpstream({ stopped: true });
    const gateway = await startGateway({ UPSTREAM_URL: backend.url });
    expect(logOf(gateway)).toContainEqual(
      expect.objectContaining({ level: WARN, code: 'ECONNREFUSED' }),
    );
    backend.on('*', world());
    await backend.start();
    onTestFinished(() => backend.stop());

    if (how === 'by its first request') await gateway.ask(TOPICS);
    await until(() => recoveriesOf(gateway).length > 0);
    const probes = backend.hits();
    await gateway.ask(TOPICS);

    expect(recoveriesOf(gateway)).toHaveLength(1);
    expect(backend.hits() - probes).toBe(1);
  },
);

it('logs once that the backend is available again after a single call that timed out', async () => {
  const backend = await openFaultUpstream();
  onTestFinished(() => backend.stop());
  backend.on('*', world());
  const gateway = await startGateway({
    UPSTREAM_URL: backend.url,
    UPSTREAM_TIMEOUT_MS: '300',
    REQUEST_TIMEOUT_MS: '500',
  });
  backend.on('GET /v0/topics', silence(), world());
  await gateway.ask(TOPICS);
  await gateway.ask(TOPICS);
  await gateway.ask(TOPICS);

  await until(() => recoveriesOf(gateway).length > 0);
  expect(recoveriesOf(gateway)).toHaveLength(1);
});

it('logs "Stopped" last', async () => {
  const gateway = await startGateway({});

  expect(await gateway.stop()).toBe(0);

  expect(logOf(gateway).at(-1)).toMatchObject({ level: INFO, msg: 'Stopped', code: 0 });
});

it.runIf(hasRedis)('logs no warning while it stops with a responsive Redis', async () => {
  const redis = await openRedis();
  const gateway = await startGateway({ REDIS_URL: redis.url, REDIS_SECRET: '0123456789abcdef' });

  expect(await gateway.stop()).toBe(0);

  expect(logOf(gateway).filter(({ level }) => level !== INFO)).toEqual([]);
});
