/** `/metrics`: an outage of the backend, apps and their documents, and the cost of operations. */
import { Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { BOUNDS, Instruments, openMetrics } from '../../src/gateway/observe/metrics/instruments.ts';
import { send } from '../support/client.ts';
import { after, html, status } from '../support/faults.ts';
import { openGateway } from '../support/open-gateway.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openWithTrustedDocuments } from '../support/trusted-documents.ts';
import { until } from '../support/until.ts';
import { world } from '../support/world.ts';

const TOPICS = 'query Topics { topics(first: 1) { nodes { title } } }';
const PERSON = 'query Person { person(personId: "p") { name } }';

const series = (operationName: string, app: string, version: string, count: number) =>
  `operation_name="${operationName}",app="${app}",version="${version}",outcome="ok" ${count}`;

describe('an outage of the backend', () => {
  it('is reported from the first operation on as failed, as an error by code and route, and as degraded', async () => {
    const site = await openGateway({ backend: 'faulty' });
    site.upstream.on('*', status(500));

    const answer = await site.ask(PERSON);

    expect([answer.status, answer.data]).toEqual([200, { person: null }]);
    expect(await site.metric('gateway_requests_total', 'outcome="failed"')).toBe(1);
    expect(
      await site.metric(
        'gateway_errors_total',
        'code="UPSTREAM_UNAVAILABLE",method="GET",route="/v0/persons/{person_id}"',
      ),
    ).toBe(1);
    expect(await site.metric('gateway_degraded')).toBe(1);
    expect(await site.metric('gateway_ready')).toBe(1);
  });

  it('is counted from zero, so that the first increase of a series is visible', async () => {
    const { get } = await openGateway();

    const { text } = await get('/metrics');

    for (const operation of ['query', 'mutation', 'subscription']) {
      expect(text).toContain(
        `gateway_requests_total{operation="${operation}",outcome="failed"} 0\n`,
      );
    }
  });

  it('of one route is counted as partial, and once per response with several failed fields', async () => {
    const site = await openGateway({ backend: 'faulty' });
    site.upstream.on('GET /v0/persons/p1', status(500));
    site.upstream.on('GET /v0/persons/p2', status(500));

    await site.ask(
      '{ a: person(personId: "p1") { name } b: person(personId: "p2") { name } topic(topicId: "t") { title } }',
    );

    expect(await site.metric('gateway_requests_total', 'outcome="partial"')).toBe(1);
    expect(await site.metric('gateway_errors_total')).toBe(1);
  });

  it('lists routes missing from the backend until they are available, as /ready does', async () => {
    const clock = new FakeClock();
    const site = await openGateway({
      backend: 'faulty',
      rest: { routeSet: 'auto', clock },
      // The deadline is by the system's clock.
      limits: { requestTimeoutMs: 120_000 },
    });
    const route = 'GET /v0/pages/search';
    const state = async () => {
      const ready = (await (await fetch(`${site.url}/ready`)).json()) as {
        readonly routes: Readonly<Record<string, string>>;
      };
      return [ready.routes[route], await site.metric('gateway_route_missing', `route="${route}"`)];
    };
    const search = '{ searchPages(query: "x") { name } }';
    site.upstream.on(route, status(404));
    const before = await state();
    await site.ask(search);
    const missing = await state();
    site.upstream.on(route, world());

    clock.pass(60_000);
    await site.ask(search);

    expect([before, missing]).toEqual([
      ['unknown', 0],
      ['missing', 1],
    ]);
    expect(await state()).toEqual(['there', 0]);
  });

  it('keeps the count of opened circuits by scope and route after they close', async () => {
    const site = await openGateway({
      backend: 'faulty',
      rest: { breaker: { volume: 2, openMs: 20 } },
    });
    site.upstream.on('GET /v0/persons/p', html(500), html(500), status(404));
    for (let i = 0; i < 2; i++) await site.ask(PERSON);
    await until(async () => {
      await site.ask(PERSON);
      expect(await site.metric('gateway_breakers_open')).toBe(0);
    });

    expect(
      await site.metric(
        'gateway_breaker_opened_total',
        'scope="route_key",method="GET",route="/v0/persons/{person_id}"',
      ),
    ).toBe(1);
  });

  it('is not counted for a client error', async () => {
    const site = await openGateway({ backend: 'faulty' });

    await site.ask('{ person(personId: "") { name } }');

    expect(await site.metric('gateway_requests_total', 'outcome="refused"')).toBe(1);
  });
});

it('metrics include the circuits of both scopes from the start', async () => {
  const site = await openGateway();

  const { text } = await send(`${site.url}/metrics`);

  for (const scope of ['route_key', 'host']) {
    expect(text).toContain(`gateway_breaker_state{scope="${scope}"} 0`);
    expect(text).toContain(`gateway_breakers_open{scope="${scope}"} 0`);
  }
});

describe('an operation of a trusted document', () => {
  it('is counted by its name, and by the app and version of the manifest', async () => {
    const site = await openWithTrustedDocuments({ 'ios-4.2.json': { topics: TOPICS } });

    await site.byId('topics');
    await site.byId('topics');
    await site.ask('query Topics { topics(first: 2) { nodes { title } } }');

    expect(await site.operations()).toEqual([
      series('Topics', 'ios', '4.2', 2),
      series('other', 'other', 'other', 1),
    ]);
  });

  it.each([
    ['graphql-client-name', 'graphql-client-version'],
    ['apollographql-client-name', 'apollographql-client-version'],
  ])('is counted by the app in %s when a manifest lists it', async (name, version) => {
    const site = await openWithTrustedDocuments({
      'ios-4.2.json': { topics: TOPICS },
      'ios-4.3.json': { topics: TOPICS },
      'web-app-1.0.0-beta.1.json': { topics: TOPICS },
    });

    await site.byId('topics', { [name]: 'ios', [version]: '4.3' });
    await site.byId('topics', { [name]: 'ios', [version]: '9' });
    await site.byId('topics', { [name]: 'web-app', [version]: '1.0.0-beta.1' });
    for (let i = 0; i < 50; i++) {
      await site.byId('topics', { [name]: `invented-${i}`, [version]: `${i}` });
    }
    await site.byId('topics');

    expect(await site.operations()).toEqual([
      series('Topics', 'ios', '4.3', 1),
      series('Topics', 'ios', 'other', 1),
      series('Topics', 'web-app', '1.0.0-beta.1', 1),
      // 50 invented apps, and a request without an app for a document of two apps.
      series('Topics', 'other', 'other', 51),
    ]);
  });
});

describe('the cost of operations', () => {
  it('is counted by route, source and status', async () => {
    const site = await openGateway({ backend: 'faulty' });
    const both = '{ a: person(personId: "p") { name } b: topic(topicId: "gone") { title } }';
    site.upstream.on('GET /v0/topics/gone', status(404));

    await site.ask(both);

    const calls = (...labels: string[]) => site.metric('gateway_upstream_calls_total', ...labels);
    expect(await calls('route="/v0/persons/{person_id}",source="sent",status="200"')).toBe(1);
    expect(await calls('route="/v0/topics/{topic_id}",source="sent",status="404"')).toBe(1);
    expect(await site.metric('gateway_operation_calls_total', 'operation_name="other"')).toBe(2);
    expect(await site.metric('gateway_operation_rounds_total', 'operation_name="other"')).toBe(1);
  });

  it('is measured from start to end', async () => {
    const site = await openGateway({ backend: 'faulty' });
    site.upstream.on('GET /v0/persons/p', after(50, world()));

    const startMs = performance.now();
    await site.ask(PERSON);
    const seconds = (performance.now() - startMs) / 1_000;

    const told = await site.metric('gateway_upstream_call_duration_seconds_sum');
    expect(told).toBeGreaterThan(0.04);
    expect(told).toBeLessThanOrEqual(seconds);
  });

  it('counts a read that shared another one in flight as shared, by status', async () => {
    const site = await openGateway({ backend: 'faulty' });

    await Promise.all([site.ask(PERSON), site.ask(PERSON)]);

    const calls = (source: string) =>
      site.metric('gateway_upstream_calls_total', `source="${source}",status="200"`);
    expect([await calls('sent'), await calls('shared')]).toEqual([1, 1]);
  });

  it('counts calls rejected by an open circuit as unsent and without a duration', async () => {
    const site = await openGateway({ backend: 'faulty', rest: { breaker: { volume: 2 } } });
    site.upstream.on('GET /v0/persons/p', status(404), status(500), status(500));

    for (let i = 0; i < 6; i++) await site.ask(PERSON);

    const calls = (source: string) =>
      site.metric('gateway_upstream_calls_total', `source="${source}"`);
    const sent = await calls('sent');
    expect(sent).toBe(site.upstream.seen.length);
    expect(await calls('unsent')).toBeGreaterThan(0);
    expect(await site.metric('gateway_upstream_call_duration_seconds_count')).toBe(sent);
  });

  it('is compared with the plan for explained operations', async () => {
    const site = await openGateway({ backend: 'faulty' });

    await site.ask('{ person(personId: "p") { name } }', { headers: { 'x-explain': 'true' } });
    await site.ask('{ person(personId: "q") { name } }');

    const checks = (what: string) =>
      site.metric('gateway_plan_checks_total', `what="${what}",made="as_planned"`);
    expect([await checks('calls'), await checks('rounds')]).toEqual([1, 1]);
  });
});

it('returns OpenMetrics to scrapers that accept it and the text format to all others', async () => {
  const site = await openGateway();
  await site.ask(TOPICS);
  const read = async (accept?: string) => {
    const { headers, text } = await send(`${site.url}/metrics`, {
      headers: accept === undefined ? {} : { accept },
    });
    return { type: headers.get('content-type')!.split(';')[0], text };
  };

  const before = await read();
  const open = await read('application/openmetrics-text;version=1.0.0,text/plain;q=0.5');
  const after = await read('text/plain');

  expect([before.type, open.type, after.type]).toEqual([
    'text/plain',
    'application/openmetrics-text',
    'text/plain',
  ]);
  expect(open.text).toContain('# TYPE gateway_requests counter');
  expect(open.text).toContain('gateway_requests_total{operation="query",outcome="ok"} 1');
  expect(open.text).toMatch(/# EOF\n$/);
  expect(after.text).toBe(before.text);
});

it.each([
  // Of Prometheus 3.
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    'application/openmetrics-text',
  ],
  ['application/openmetrics-text;q=0', 'text/plain'],
  ['application/openmetrics-text;q=0.3, text/plain;q=0.5', 'text/plain'],
  ['application/openmetrics-text;q=0.3, */*', 'text/plain'],
  ['application/openmetrics-text, text/plain', 'application/openmetrics-text'],
  ['text/plain;q=0, application/openmetrics-text;q=0.1', 'application/openmetrics-text'],
  ['*/*', 'text/plain'],
])('responds to a scraper that accepts %s with %s', async (accept, type) => {
  const site = await openGateway();

  const { headers } = await send(`${site.url}/metrics`, { headers: { accept } });

  expect(headers.get('content-type')!.split(';')[0]).toBe(type);
});

it('writes durations like a prom-client histogram in both formats', async () => {
  const instruments = new Instruments();
  const { registry } = instruments;
  const durations = instruments.durations(
    'seconds',
    'Durations.',
    (route: { readonly method: string; readonly path: string }) => ({
      method: route.method,
      route: route.path,
    }),
  );
  const theirs = new Registry();
  const histogram = new Histogram({
    name: 'seconds',
    help: 'Durations.',
    labelNames: ['method', 'route'],
    buckets: BOUNDS,
    registers: [theirs],
  });
  const routes = [
    { method: 'GET', path: '/v0/topics' },
    { method: 'POST', path: '/v0/"quoted"\\pages' },
  ];
  // Each bound, and a little less and more.
  const seconds = [0, ...BOUNDS.flatMap((bound) => [bound * 0.99, bound, bound * 1.01]), 3_600];
  seconds.forEach((value, i) => {
    const route = routes[i % 3 === 0 ? 1 : 0]!;
    durations.observe(route, value);
    histogram.observe({ method: route.method, route: route.path }, value);
  });

  const textOf = async (from: Registry) => (await from.metrics()).trim().split('\n');
  await expect(textOf(registry)).resolves.toEqual(await textOf(theirs));
  expect(await openMetrics(registry)).toContain(
    'seconds_bucket{le="+Inf",method="GET",route="/v0/topics"} 23\n',
  );
});
