/** Several workers on one port. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { routes } from '../../src/v0/routes.ts';
import { isCall, openFaultUpstream } from '../support/fault-upstream.ts';
import { held, ok } from '../support/faults.ts';
import { freePort } from '../support/free-port.ts';
import { sampleOf } from '../support/sample-answers.ts';
import { world } from '../support/world.ts';
import { clientOf, send } from '../support/client.ts';
import { startProcess, type StartedProcess } from '../support/gateway-process.ts';
import { until } from '../support/until.ts';

/** Sends a request over a new connection, which goes to the next worker. */
const ask = (url: string, query = '{ topics(first: 1) { nodes { topicId } } }') =>
  at(url).ask(query, { headers: { connection: 'close' } });

const at = (url: string) => clientOf(new URL(url).origin, EXAMPLE_API_KEY);

/** Process ids of the workers. */
function workersOf({ process: { pid } }: StartedProcess): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children
    .map(Number)
    .filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('main.js'));
}

// They mostly wait.
const SIDE_BY_SIDE = { timeout: 40_000, concurrent: true };

describe.runIf(process.platform === 'linux')('several workers', SIDE_BY_SIDE, () => {
  it('share a port and the embedded backend, and add up their metrics', async () => {
    const product = startProcess({ WORKERS: '2' });
    const url = await product.ready();
    await until(() => workersOf(product).length === 2, 20_000);

    const replies = await Promise.all(Array.from({ length: 12 }, () => ask(url)));

    expect(replies.map(({ status, body }) => [status, body.data.topics.nodes.length])).toEqual(
      replies.map(() => [200, 1]),
    );
    expect((await at(url).get('/ready')).status).toBe(200);
    for (let times = 0; times < 4; times++) {
      expect(await at(url).metric('gateway_requests_total')).toBe(12);
    }
    expect(product.stdout.match(/GraphiQL at/g)).toHaveLength(1);
  });

  it('add up their usage counts and their drift reports', async () => {
    const upstream = await openFaultUpstream();
    upstream.on('*', world());
    const topics = sampleOf(routes.listTopics) as { items: object[] };
    topics.items = topics.items.map((topic) => ({ ...topic, colour: 'red' }));
    upstream.on('GET /v0/topics', ok(topics));
    const adminPort = await freePort();
    const product = startProcess({
      ...{ WORKERS: '2', ADMIN_PORT: String(adminPort), UPSTREAM_URL: upstream.url },
    });
    const url = await product.ready();
    await until(() => workersOf(product).length === 2, 20_000);
    const told = async (path: string) => {
      const admin = `http://127.0.0.1:${adminPort}${path}`;
      return (await send(admin, { headers: { connection: 'close' } })).body;
    };

    for (let times = 0; times < 12; times++) await ask(url);

    for (let times = 0; times < 4; times++) {
      const { documents } = await told('/usage');
      expect(documents).toMatchObject([{ executions: 12, uses: { 'Query.topics': 12 } }]);
      const { answers, departures } = await told('/drift');
      expect(answers).toMatchObject([{ route: 'GET /v0/topics', answers: 12, looked: 2 }]);
      expect(departures).toContainEqual(
        expect.objectContaining({ field: 'items.colour', kind: 'new_field', count: 2 }),
      );
    }
    product.process.kill('SIGTERM');
    await product.exit();
    await upstream.stop();
  });

  it('finish requests under way on SIGTERM and exit with 0', async () => {
    const upstream = await openFaultUpstream();
    const answer = held(world());
    upstream.on('*', answer.behaviour);
    const product = startProcess({ WORKERS: '2', UPSTREAM_URL: upstream.url });
    const url = await product.ready();
    await until(() => workersOf(product).length === 2, 20_000);
    const workers = workersOf(product);
    const underWay = Array.from({ length: 6 }, (_, i) =>
      ask(url, `{ page(pageId: "p${i}") { name } }`),
    );
    await until(() => upstream.seen.filter(isCall).length === underWay.length);

    product.process.kill('SIGTERM');
    await until(() => isRefused(url));
    answer.release();

    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(
      underWay.map(() => 200),
    );
    expect(await product.exit()).toBe(0);
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await upstream.stop();
  });

  it('end when their primary is killed', async () => {
    const product = startProcess({ WORKERS: '2' });
    await product.ready();
    const workers = workersOf(product);

    product.process.kill('SIGKILL');

    await until(() => workers.every((pid) => !isAlive(pid)));
  });

  it('finish the request of the first one on SIGTERM while the others are starting', async () => {
    const port = await freePort();
    const product = startProcess({ WORKERS: '4', PORT: String(port) });
    const url = `http://127.0.0.1:${port}/graphql`;
    await until(() => ask(url, '{ __typename }'), 20_000);

    const underWay = ask(
      url,
      'mutation { updateTopic(input: { id: "x", title: "y" }) { topic { id } } }',
    );
    product.process.kill('SIGTERM');

    expect((await underWay).status).toBe(200);
    expect(await product.exit()).toBe(0);
  });

  it('keep answering when the one that collects metrics is killed', async () => {
    const product = startProcess({ WORKERS: '2', LOG_LEVEL: 'error' });
    const url = await product.ready();
    await until(() => workersOf(product).length === 2, 20_000);
    const [asking, silent] = workersOf(product) as [number, number];

    // Each gets one of two requests; the frozen one answers neither its own nor the other's question.
    process.kill(silent, 'SIGSTOP');
    const asked = Array.from({ length: 2 }, () =>
      send(new URL('/metrics', url).href, { headers: { connection: 'close' } }).catch(() => null),
    );
    await sleep(500);
    process.kill(asking, 'SIGKILL');
    process.kill(silent, 'SIGCONT');
    await Promise.all(asked);

    expect((await ask(url)).status).toBe(200);
  });

  it('answer /metrics without the one that is killed before it reports', async () => {
    const product = startProcess({ WORKERS: '2', LOG_LEVEL: 'error' });
    const url = await product.ready();
    await until(() => workersOf(product).length === 2, 20_000);
    const [, silent] = workersOf(product) as [number, number];

    // One request is handed to the frozen worker, and is lost with it.
    process.kill(silent, 'SIGSTOP');
    const asked = Array.from({ length: 2 }, () =>
      send(new URL('/metrics', url).href, { headers: { connection: 'close' } }).catch(() => null),
    );
    await sleep(500);
    process.kill(silent, 'SIGKILL');

    expect((await Promise.race(asked))?.status).toBe(200);
  });

  it('report once that the port is in use, and exit with 1', async () => {
    const other = startProcess();
    const { port } = new URL(await other.ready());

    const product = startProcess({ WORKERS: '3', PORT: port });

    expect(await product.exit()).toBe(1);
    expect(product.stderr.match(/is in use/g)).toHaveLength(1);
  });
});

/** Whether no port is open at a URL. */
const isRefused = (url: string): Promise<boolean> =>
  fetch(url, { headers: { connection: 'close' } }).then(
    () => false,
    (error: Error) => (error.cause as NodeJS.ErrnoException).code === 'ECONNREFUSED',
  );

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
