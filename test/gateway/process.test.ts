/** The process: its start, its rejections to start and its end (T57), in a child process each. */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { linesOf } from '../support/open-log.ts';
import { clientOf, POST_JSON, send } from '../support/client.ts';
import { isCall } from '../support/fault-upstream.ts';
import { freePort } from '../support/free-port.ts';
import { startProcess, type StartedProcess } from '../support/gateway-process.ts';
import { openHttp } from '../support/listen.ts';
import { until } from '../support/until.ts';

const PAGE = JSON.stringify({ query: `{ page(pageId: "${EXAMPLE_PAGE_ID}") { name } }` });
const HEADERS = { ...POST_JSON, 'x-api-key': 'demo' };

/** Whether this Node has `reusePort`. */
const sharesPorts = /^v(?:22\.(?:1[2-9]|[2-9]\d)|23\.[1-9]|2[4-9])/.test(process.version);

/** A backend that responds to every request with 404 after `delayMs`. */
async function openSlowBackend(delayMs: number) {
  let calls = 0;
  const url = await openHttp((request, response) => {
    if (isCall(request)) calls += 1;
    setTimeout(() => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    }, delayMs);
  });
  return { url, calls: () => calls };
}

/** One POST through a given agent; rejects when the connection breaks. */
function post(
  url: string,
  agent: Agent,
  body = PAGE,
): Promise<{ status?: number; connection?: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers: HEADERS, agent },
      (answer: IncomingMessage) => {
        answer.resume().on('end', () => {
          const { connection } = answer.headers;
          resolve({ status: answer.statusCode!, ...(connection && { connection }) });
        });
        answer.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('starting', () => {
  it('serves queries and GraphiQL, logs JSON without the API key, and exits with 0 immediately on SIGINT', async () => {
    const product = startProcess({ PORT: '0', SHUTDOWN_TIMEOUT_MS: '3600000' });
    const url = await product.ready();

    const reply = await send(url, { method: 'POST', headers: HEADERS, body: PAGE });
    const page = await send(url, { headers: { accept: 'text/html' } });
    product.process.kill('SIGINT');

    expect(reply.body).toEqual({ data: { page: { name: 'Northwind launch' } } });
    expect(page.text).toContain(EXAMPLE_PAGE_ID);
    expect(await product.exit()).toBe(0);
    expect(linesOf(product.stdout)).toContainEqual(
      expect.objectContaining({ outcome: 'ok', calls: 1 }),
    );
    expect(product.stdout).not.toContain('"demo"');
    expect(product.stderr).toBe('');
  });

  it('starts while the backend is unreachable, logs it once, and does not expose its address in responses', async () => {
    const port = await freePort();
    const product = startProcess({ UPSTREAM_URL: `http://127.0.0.1:${port}` });
    const site = new URL('/', await product.ready()).href;

    const health = await send(`${site}health`);
    const query = await send(`${site}graphql`, { method: 'POST', headers: HEADERS, body: PAGE });
    const ready = await send(`${site}ready`);

    expect([health.status, ready.status, ready.body.degraded]).toEqual([200, 200, true]);
    expect(linesOf(product.stdout).slice(0, 3)).toEqual([
      expect.objectContaining({ msg: `Backend: http://127.0.0.1:${port}` }),
      expect.objectContaining({ level: 'warn', host: '127.0.0.1', port, code: 'ECONNREFUSED' }),
      expect.objectContaining({
        url: `${site}graphql`,
        msg: expect.not.stringMatching(/^Ready/),
      }),
    ]);
    expect([query.status, query.codes]).toEqual([200, ['UPSTREAM_UNAVAILABLE']]);
    expect(ready.text + query.text).not.toContain('127.0.0.1');
  });

  it.each([
    ['a bad variable', { PORT: 'abc' }, /^PORT .*"abc".*\n$/],
    [
      'an unusable database',
      { BACKEND_DATABASE_URL: 'file:/proc/none/backend.db' },
      /^.* file:\/proc\/none\/backend\.db: .+\n$/,
    ],
    ['a HOST of another machine', { HOST: '192.0.2.1' }, /^HOST 192\.0\.2\.1 .+\n$/],
  ])('exits with 1 and one line for %s', async (_what, env, line) => {
    const product = startProcess(env);

    expect(await product.exit()).toBe(1);
    expect(product.stderr).toMatch(line);
    expect(product.stdout).toBe('');
  });

  it.skipIf(sharesPorts)('exits with 1 and one line if Node lacks REUSE_PORT', async () => {
    const product = startProcess({ REUSE_PORT: 'on' });

    expect(await product.exit()).toBe(1);
    expect(product.stderr).toMatch(/^REUSE_PORT=on .+\n$/);
    expect(product.stderr).toContain(process.versions.node);
  });

  it.runIf(sharesPorts)(
    'shares a port with REUSE_PORT=on, has metrics per process, and keeps serving when one stops',
    async () => {
      const backend = await openSlowBackend(0);
      const [PORT, ...admin] = [await freePort(), await freePort(), await freePort()].map(String);
      const start = (ADMIN_PORT: string) =>
        startProcess({ UPSTREAM_URL: backend.url, REUSE_PORT: 'on', PORT: PORT!, ADMIN_PORT });
      const products = admin.map(start);
      const [url] = await Promise.all(products.map(({ ready }) => ready()));
      const ask = () => post(url!, new Agent());
      const answered = (adminPort: string) =>
        clientOf(`http://127.0.0.1:${adminPort}`, 'demo').metric('gateway_requests_total');

      await until(async () => {
        expect((await ask()).status).toBe(200);
        return (await Promise.all(admin.map(answered))).every((count) => count > 0);
      });
      products[0]!.process.kill('SIGTERM');

      expect(await products[0]!.exit()).toBe(0);
      expect((await ask()).status).toBe(200);
      const third = start(admin[1]!);
      expect(await third.exit()).toBe(1);
      expect(third.stderr).toMatch(new RegExp(`^Port ${admin[1]} on 127\\.0\\.0\\.1 .+\n$`));
    },
    30_000,
  );

  it('exits with 1 and one line when the port is in use', async () => {
    const { url } = await openSlowBackend(0);
    const { port } = new URL(url);
    const product = startProcess({ PORT: port });

    expect(await product.exit()).toBe(1);
    expect(product.stderr).toMatch(
      new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 .*\\bPORT\\b.*\n$`),
    );
  });
});

describe('stopping', () => {
  /** Waits until the process has received the first signal. */
  const stopping = (product: StartedProcess) => until(() => product.stdout.includes('Stopping: '));

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'T57: %s finishes requests in flight, reports not ready, closes idle connections and exits with 0',
    async (signal) => {
      const { url: upstreamUrl, calls } = await openSlowBackend(1_200);
      const product = startProcess({ UPSTREAM_URL: upstreamUrl, DRAIN_DELAY_MS: '600' });
      const url = await product.ready();
      const idle = connect(Number(new URL(url).port), '127.0.0.1').resume();
      const idleClosed = once(idle, 'close');
      const underWay = post(url, new Agent({ keepAlive: true }));
      await until(() => calls() === 1);

      const ready = () => send(new URL('/ready', url).href);
      await ready(); // Keeps a connection, since SIGINT closes the port at once.

      product.process.kill(signal);
      await until(async () => {
        const { status, body } = await ready();
        expect([status, body]).toMatchObject([503, { ready: false, draining: true }]);
      });
      const answer = await underWay;

      expect(answer).toEqual({ status: 200, connection: 'close' });
      await idleClosed;
      expect(await product.exit()).toBe(0);
      expect(product.stderr).toBe('');
    },
  );

  it('T57: resets none of twenty connections that clients keep busy', async () => {
    const { url: upstreamUrl, calls } = await openSlowBackend(5);
    const product = startProcess({ UPSTREAM_URL: upstreamUrl });
    const url = await product.ready();
    const ends: string[] = [];
    let [asked, answered] = [0, 0];
    const workers = Array.from({ length: 20 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        try {
          // Request its own page, since reads of one key share a call.
          await post(
            url,
            agent,
            JSON.stringify({ query: `{ page(pageId: "p${asked++}") { name } }` }),
          );
          answered += 1;
        } catch (error) {
          ends.push((error as NodeJS.ErrnoException).code ?? String(error));
          return;
        }
      }
    });
    // Wait until all of them have their connections.
    await expect.poll(() => answered, { timeout: 20_000 }).toBeGreaterThan(200);

    product.process.kill('SIGTERM');
    await Promise.all(workers);

    // Each ends rejected by the closed port; a reset would be a lost request.
    expect(new Set(ends)).toEqual(new Set(['ECONNREFUSED']));
    expect(await product.exit()).toBe(0);
    expect(calls()).toBe(answered);
  });

  it.each(['SIGHUP', 'SIGTERM'] as const)(
    '%s keeps serving for DRAIN_DELAY_MS and exits with 0',
    async (signal) => {
      const product = startProcess({ DRAIN_DELAY_MS: '1500' });
      const url = await product.ready();

      const began = performance.now();
      product.process.kill(signal);
      await stopping(product);
      const answer = await post(url, new Agent({ keepAlive: true }));

      expect(answer).toEqual({ status: 200, connection: 'keep-alive' });
      expect(await product.exit()).toBe(0);
      expect(performance.now() - began).toBeGreaterThan(1_490);
    },
  );

  it('T57: resets requests that outlast SHUTDOWN_TIMEOUT_MS and exits with 124', async () => {
    const { url: upstreamUrl, calls } = await openSlowBackend(60_000);
    const product = startProcess({
      UPSTREAM_URL: upstreamUrl,
      UPSTREAM_TIMEOUT_MS: '60000',
      REQUEST_TIMEOUT_MS: '61000',
      SHUTDOWN_TIMEOUT_MS: '500',
    });
    const url = await product.ready();
    const cut = post(url, new Agent()).catch((error: NodeJS.ErrnoException) => error.code);
    await until(() => calls() === 1);

    const began = performance.now();
    product.process.kill('SIGTERM');

    expect(await product.exit()).toBe(124);
    expect(performance.now() - began).toBeGreaterThan(490);
    expect(await cut).toBe('ECONNRESET');
    expect(linesOf(product.stdout).slice(-2)).toMatchObject([{ level: 'warn' }, { code: 124 }]);
  });

  it('ignores SIGHUP after SIGTERM, as systemd sends it, and finishes the request in flight', async () => {
    const { url: upstreamUrl, calls } = await openSlowBackend(500);
    const product = startProcess({ UPSTREAM_URL: upstreamUrl, DRAIN_DELAY_MS: '0' });
    const url = await product.ready();
    const underWay = post(url, new Agent({ keepAlive: true }));
    await until(() => calls() === 1);

    product.process.kill('SIGTERM');
    product.process.kill('SIGHUP');
    await stopping(product);
    product.process.kill('SIGHUP');

    expect(await underWay).toEqual({ status: 200, connection: 'close' });
    expect(await product.exit()).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'T57: exits with 1 immediately on a second signal, unless it repeats the first within 500 ms: %s',
    async (second) => {
      const { url: upstreamUrl, calls } = await openSlowBackend(60_000);
      const product = startProcess({
        UPSTREAM_URL: upstreamUrl,
        UPSTREAM_TIMEOUT_MS: '60000',
        REQUEST_TIMEOUT_MS: '61000',
      });
      const url = await product.ready();
      const cut = post(url, new Agent()).catch((error: NodeJS.ErrnoException) => error.code);
      await until(() => calls() === 1);

      product.process.kill('SIGTERM');
      await stopping(product);
      product.process.kill(second);
      const again = setInterval(() => product.process.kill(second), 100);

      expect(await product.exit()).toBe(1);
      expect(await cut).toBe('ECONNRESET');
      clearInterval(again);
    },
  );
});
