/** The proxies of `deploy/proxy/` in front of three gateways over the embedded backend, each a process. */
import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/app/settings/table.ts';
import { openEvents, openSocket, PUBLISH, statusesOf } from '../live/support.ts';
import { openFolder } from '../support/folder.ts';
import { startBackend } from '../support/backend-service.ts';
import { selfSigned } from '../support/certificates.ts';
import { clientOf } from '../support/client.ts';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { IDS } from '../support/ids.ts';
import { freePort } from '../support/free-port.ts';
import { hasNginx, openNginx } from '../support/nginx.ts';
import {
  hasHaproxy,
  nginxInFrontOf,
  openHaproxyInFrontOf,
  openNginxInFrontOf,
  readProxy,
} from '../support/proxy.ts';
import { until } from '../support/until.ts';

const DRAFT = `mutation { createAudience(input: { pageId: "${IDS.page}", publishBehavior: draft }) {
  audience { latestVersion { id } } } }`;
const NAME = `{ page(pageId: "${IDS.page}") { name } }`;

const PROXIES = [
  { name: 'nginx', isHere: hasNginx, openInFrontOf: openNginxInFrontOf },
  { name: 'haproxy', isHere: hasHaproxy, openInFrontOf: openHaproxyInFrontOf },
].filter(({ isHere }) => isHere);

/** Three gateways on ports that they keep. */
async function startReplicas() {
  const backend = await startBackend();
  const upstream = await backend.ready();
  const start = (PORT: string): Promise<GatewayProcess> =>
    startGateway({ UPSTREAM_URL: upstream, PORT, UPSTREAM_API_KEY: 'demo' });
  const replicas = await Promise.all([1, 2, 3].map(async () => start(`${await freePort()}`)));
  return {
    urls: replicas.map(({ url }) => url),
    /** Stops it, and starts another in its place. @returns the exit code. */
    restart: async (i: number): Promise<number | null> => {
      const { port, stop } = replicas[i]!;
      const code = await stop();
      replicas[i] = await start(`${port}`);
      return code;
    },
  };
}

let replicas: Awaited<ReturnType<typeof startReplicas>>;
beforeAll(async () => {
  if (PROXIES.length > 0) replicas = await startReplicas();
});

it.each(PROXIES)(
  '$name passes on queries, event streams and WebSockets, and hides /metrics and /ready',
  async ({ openInFrontOf }) => {
    const url = await openInFrontOf(...replicas.urls);
    const { ask, get } = clientOf(url, 'demo');

    const { data } = await ask(DRAFT);
    const id: string = data.createAudience.audience.latestVersion.id;
    const stream = await openEvents(url, { id });
    const socket = await openSocket(url);
    socket.subscribe('a', { id });
    await until(() => stream.events.length > 0 && socket.received('next').length > 0);
    await ask(PUBLISH, { variables: { input: { id } } });
    await stream.ended;
    await until(() => socket.received('complete').length > 0);
    const hidden = await Promise.all([get('/metrics'), get('/ready')]);

    expect(statusesOf(stream.events).at(-1)).toBe('published');
    expect(socket.received('next').at(-1)!.payload).toMatchObject({
      data: { audienceVersionProgress: { isFinal: true } },
    });
    expect(hidden.map(({ status }) => status)).toEqual([404, 404]);
  },
);

it.skipIf(PROXIES.length === 0)(
  'each proxy loses no query while three replicas are restarted one after the other under load',
  async () => {
    let over = false;
    const crowds = PROXIES.map(async ({ name, openInFrontOf }) => {
      const { ask } = clientOf(await openInFrontOf(...replicas.urls), 'demo');
      const answers = new Map<string, number>();
      const callers = Array.from({ length: 3 }, async () => {
        while (!over) {
          const answer = await ask(NAME).then(({ status, text }) => `${status} ${text}`, String);
          answers.set(answer, (answers.get(answer) ?? 0) + 1);
          await sleep(70); // the pace of a caller
        }
      });
      return { name, answers, callers };
    });
    const asking = await Promise.all(crowds);

    const codes: (number | null)[] = [];
    for (const i of [0, 1, 2]) codes.push(await replicas.restart(i));
    const heard = ({ answers }: { answers: Map<string, number> }) =>
      [...answers.values()].reduce((sum, count) => sum + count, 0);
    const before = asking.map(heard);
    await until(() => asking.every((crowd, i) => heard(crowd) > before[i]! + 12));
    over = true;
    await Promise.all(asking.flatMap(({ callers }) => callers));

    expect(codes).toEqual([0, 0, 0]);
    for (const { name, answers } of asking) {
      expect([...answers.keys()], name).toEqual([
        '200 {"data":{"page":{"name":"Northwind launch"}}}',
      ]);
      expect([...answers.values()][0], name).toBeGreaterThan(20);
    }
  },
);

it.skipIf(!hasNginx)('nginx answers by HTTP/2 when its commented lines are enabled', async () => {
  const { urls } = replicas;
  const folder = openFolder({ 'site.crt': selfSigned.cert, 'site.key': selfSigned.key });
  const port = await freePort();
  await openNginx(urls[0]!, (plain, host) =>
    nginxInFrontOf(...urls)(plain, host)
      .replace('# listen 8443', `listen 127.0.0.1:${port}`)
      .replaceAll(/# (ssl_certificate\w*) \/etc\/nginx/g, `$1 ${folder}`),
  );

  const session = connect(`https://localhost:${port}`, { ca: selfSigned.cert });
  onTestFinished(() => session.destroy());
  const request = session.request({
    ':method': 'POST',
    ':path': '/graphql',
    'content-type': 'application/json',
    'x-api-key': 'demo',
  });
  request.end(JSON.stringify({ query: NAME }));
  let answer = '';
  request.setEncoding('utf8').on('data', (text: string) => (answer += text));
  await once(request, 'end');

  expect(session.alpnProtocol).toBe('h2');
  expect(answer).toBe('{"data":{"page":{"name":"Northwind launch"}}}');
});

describe('envoy', () => {
  // Debian has no Envoy, so that only its configuration is checked.
  const { listeners, clusters } = parse(readProxy('envoy.yaml')).static_resources;
  const [{ typed_config: manager }] = listeners[0].filter_chains[0].filters;
  const [{ routes }] = manager.route_config.virtual_hosts;
  const seconds = (text: string) => Number(/^([\d.]+)s$/.exec(text)![1]);

  it('routes all paths but /metrics and /ready to the three gateways', () => {
    const hosts = clusters[0].load_assignment.endpoints[0].lb_endpoints.map(
      ({ endpoint }: any) => endpoint.address.socket_address,
    );

    expect(hosts).toEqual(
      [1, 2, 3].map((n) => ({
        address: `gateway-${n}`,
        port_value: Number(SETTINGS.http.settings.port.unset),
      })),
    );
    expect(routes.map(({ match }: any) => match.path ?? match.prefix)).toEqual([
      '/metrics',
      '/ready',
      '/',
    ]);
    expect(routes.at(-1).route.cluster).toBe(clusters[0].name);
  });

  it('has no time-out for streams, an idle time-out beyond that of a request, and WebSockets', () => {
    expect(routes.at(-1).route.timeout).toBe('0s');
    expect(seconds(manager.stream_idle_timeout)).toBeGreaterThan(20);
    expect(seconds(manager.stream_idle_timeout) * 1_000).toBeGreaterThan(
      Number(SETTINGS.limits.settings.requestTimeoutMs.unset),
    );
    expect(manager.upgrade_configs).toEqual([{ upgrade_type: 'websocket' }]);
  });

  it('retries only what no gateway has received, and detects a draining gateway before it stops', () => {
    const [check] = clusters[0].health_checks;

    expect(routes.at(-1).route.retry_policy.retry_on).toBe('connect-failure,refused-stream');
    expect(check.http_health_check.path).toBe('/ready');
    expect(seconds(check.interval) * check.unhealthy_threshold * 1_000).toBeLessThan(
      Number(SETTINGS.process.settings.drainDelayMs.unset),
    );
  });
});
