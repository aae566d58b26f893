/** Traces: spans at a collector, headers to the backend, and the effect of a collector that fails. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { CallLog, CallLogEntry } from '../../../src/rest/call/call-log.ts';
import { schema } from '../../../src/app/schema.ts';
import { silentLogger } from '../../../src/gateway/observe/logs/logger.ts';
import { openTracer } from '../../../src/extensions/traces/tracer.ts';
import { traces } from '../../../src/extensions/traces/traces.extension.ts';
import { cases } from '../../support/cases.ts';
import { openDecoder, type DecodedSpan } from '../../support/collector.ts';
import { openHttp } from '../../support/listen.ts';
import { KEY } from '../../support/client.ts';
import { reset, status } from '../../support/faults.ts';
import { SAMPLE_VALUES } from '../../support/ids.ts';
import { openGateway } from '../../support/open-gateway.ts';
import { openEvents, openLive, openSocket } from '../../live/support.ts';
import { openWithTrustedDocuments } from '../../support/trusted-documents.ts';
import { randomFrom, randomQuery, UNLIMITED } from '../../support/random-query.ts';
import { world } from '../../support/world.ts';
import { until } from '../../support/until.ts';

/** @param env variables of OpenTelemetry, which its libraries read when they are opened. */
function tracerFor(url: string, env: Record<string, string> = {}) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const tracer = openTracer({
    ...{ url: `${url}/v1/traces`, protocol: 'http/json', resourceAttributes: '' },
    ...{ backend: 'http://pages.example', version: '1', logger: silentLogger() },
  });
  vi.unstubAllEnvs();
  return tracer;
}

async function openTraced(url: string, env?: Record<string, string>) {
  const tracer = tracerFor(url, env);
  const site = await openGateway({ backend: 'faulty', extensions: [traces(tracer)] });
  return { site, tracer };
}

const traceparent = (traceId: string, flags = '01') => `00-${traceId}-00f067aa0ba902b7-${flags}`;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PERSON = '{ person(personId: "p") { name } }';

const callOf = ({ route, status: code, attempt, span, failure, startMs, endMs }: CallLogEntry) => ({
  name: `${route.method} ${route.path}`,
  spanId: span?.spanId,
  code: code === undefined ? undefined : String(code),
  resent: attempt > 1 ? String(attempt - 1) : undefined,
  error: failure ?? (code !== undefined && code >= 400 ? String(code) : undefined),
  tookMs: expect.closeTo(endMs! - startMs, 2),
});

const spanAsCall = ({ name, spanId, attributes, tookMs }: DecodedSpan) => ({
  ...{ name, spanId, tookMs },
  code: textOf(attributes['http.response.status_code']),
  resent: textOf(attributes['http.request.resend_count']),
  error: textOf(attributes['error.type']),
});

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : JSON.stringify(value).replaceAll('"', '');

const inOrder = <One extends { readonly spanId: string | undefined }>(all: readonly One[]) =>
  [...all].sort((a, b) => String(a.spanId).localeCompare(String(b.spanId)));

describe('a trace', () => {
  it('contains the calls of the call log for random operations and failures', async () => {
    const decoder = await openDecoder();
    const tracer = tracerFor(decoder.url, {
      OTEL_SPAN_EVENT_COUNT_LIMIT: '100000',
      OTEL_SPAN_LINK_COUNT_LIMIT: '100000',
    });
    const limits = { limits: UNLIMITED };
    const site = await openGateway({
      backend: 'faulty',
      extensions: [traces(tracer)],
      documents: limits,
      // A call that times out on a busy machine may never reach the backend.
      rest: { timeoutMs: 60_000 },
      limits: { requestTimeoutMs: 90_000 },
    });
    const asked: { traceId: string; journal: CallLog }[] = [];
    const FATES = [status(503), status(404), status(500), reset(), ...Array(16).fill(world())];

    // Its topics are primed by the list; random operations of another schema may prime none.
    const primes = {
      source: '{ topics(first: 2) { nodes { entries(first: 1) { nodes { topic { title } } } } } }',
      variables: {},
    };

    for (let seed = 0; seed <= cases(15); seed++) {
      const random = randomFrom(seed);
      const fates = seed === 0 ? [world()] : FATES;
      site.upstream.on('*', (...args) => fates[Math.floor(random() * fates.length)]!(...args));
      const { source, variables } =
        seed === 0 ? primes : randomQuery(seed, { schema, values: SAMPLE_VALUES });
      const traceId = createHash('md5').update(String(seed)).digest('hex');
      await site.ask(source, { variables, headers: { traceparent: traceparent(traceId) } });
      asked.push({ traceId, journal: site.journal });
    }
    await tracer.close();

    const sources = asked.flatMap(({ journal }) => journal.entries.map(({ source }) => source));
    expect(sources).toEqual(expect.arrayContaining(['sent', 'primed']));
    const parents = site.upstream.seen.map(({ headers }) => String(headers['traceparent']));
    for (const { traceId, journal } of asked) {
      const seen = parents.filter((parent) => parent.includes(traceId));
      const spans = decoder.spans.filter((span) => span.traceId === traceId);
      const [server, ...others] = spans.filter(({ kind }) => /SERVER|^2$/.test(kind));
      const clients = spans.filter(({ kind }) => /CLIENT|^3$/.test(kind));
      const phases = spans.filter((span) => span !== server && !clients.includes(span));
      const sent = journal.entries.filter(({ source }) => source === 'sent');
      const withoutCall = journal.entries.filter(({ source }) => source !== 'sent');
      expect(others).toEqual([]);
      expect(server!.parentSpanId).toBe('00f067aa0ba902b7');
      for (const { parentSpanId } of [...clients, ...phases]) {
        expect(parentSpanId).toBe(server!.spanId);
      }
      expect(['parse', 'validate', 'plan', 'execute']).toEqual(
        expect.arrayContaining(phases.map(({ name }) => name)),
      );
      expect(phases.map(({ name }) => name)).toContain('execute');
      expect(inOrder(clients.map(spanAsCall))).toEqual(inOrder(sent.map(callOf)));
      expect(
        server!.events.map(({ name }) => name).filter((name) => name !== 'graphql.error'),
      ).toEqual(withoutCall.map(({ source, route }) => `${source} ${route.method} ${route.path}`));
      // The backend's own spans will be children of these.
      const parentOf = ({ span }: CallLogEntry) => `00-${traceId}-${span!.spanId}-01`;
      // An abandoned call may have ended before it reached the backend.
      const isAnswered = ({ failure }: CallLogEntry) => failure !== 'cancelled';
      expect(new Set(seen).size).toBe(seen.length);
      expect(sent.map(parentOf)).toEqual(expect.arrayContaining(seen));
      expect(seen).toEqual(expect.arrayContaining(sent.filter(isAnswered).map(parentOf)));
    }
  });

  it('links a request to the span of the call that it shares with another request', async () => {
    const decoder = await openDecoder();
    const { site, tracer } = await openTraced(decoder.url);

    await Promise.all([site.ask(PERSON), site.ask(PERSON)]);
    await tracer.close();

    const [call] = decoder.spans.filter(({ name }) => name === 'GET /v0/persons/{person_id}');
    expect(call!.attributes).toMatchObject({
      'server.address': 'pages.example',
      'url.template': '/v0/persons/{person_id}',
    });
    const linked = decoder.spans.find(({ links }) => links.length > 0);
    expect(linked!.links).toEqual([{ traceId: call!.traceId, spanId: call!.spanId }]);
    expect(linked!.events.map(({ name }) => name)).toEqual(['shared GET /v0/persons/{person_id}']);
  });

  it('of a subscription event has its own id and is linked to the subscription', async () => {
    const decoder = await openDecoder();
    const tracer = tracerFor(decoder.url);
    const live = await openLive({ extensions: [traces(tracer)] });
    const id = await live.draft();
    // An event reads the page by its own call.
    const query = `subscription ($id: ID!) { audienceVersionProgress(id: $id) {
      isFinal audienceVersion { id status audience { page { name } } } } }`;
    const { ended, events } = await openEvents(live.site.url, { id }, { query });
    await until(() => events.length > 0);
    await live.publish(id);
    await ended;
    await tracer.close();

    const ofSubscription = decoder.spans.filter(({ name }) => name === 'subscription');
    const [subscription] = ofSubscription.filter(
      ({ attributes }) => 'http.response.status_code' in attributes,
    );
    const ofEvents = ofSubscription.filter((span) => span !== subscription);
    const { traceId, spanId } = subscription!;
    expect(ofEvents).toHaveLength(events.length);
    expect(ofEvents.map(({ links }) => links)).toEqual(events.map(() => [{ traceId, spanId }]));
    expect(new Set(ofSubscription.map((span) => span.traceId)).size).toBe(events.length + 1);
    const ofPages = decoder.spans.filter(({ name }) => name === 'GET /v0/pages/{page_id}');
    const tracesOfEvents = ofEvents.map((span) => span.traceId);
    expect(ofPages.map((span) => span.traceId).toSorted()).toEqual(tracesOfEvents.toSorted());
  });

  it('contains no keys, variables, ids or headers', async () => {
    const decoder = await openDecoder();
    const { site, tracer } = await openTraced(decoder.url);

    await site.ask('query Named($id: ID!) { person(personId: $id) { name } }', {
      variables: { id: 'a-secret-id' },
      headers: { 'x-request-id': 'a-secret-request', tracestate: 'a=secret-state' },
    });
    await tracer.close();

    expect(decoder.spans.length).toBeGreaterThan(1);
    expect(decoder.texts.join()).not.toMatch(/a-secret|secret-state/);
    expect(decoder.texts.join()).not.toContain(KEY);
  });

  it('names its root after the operation of a trusted document, sent by id or as a string, but not of other documents', async () => {
    const decoder = await openDecoder();
    const tracer = tracerFor(decoder.url);
    const text = 'query Topics { topics(first: 1) { nodes { title } } }';
    const site = await openWithTrustedDocuments(
      { 'web-1.json': { topics: text } },
      { extensions: [traces(tracer)] },
    );

    for (const body of [
      { documentId: 'topics' },
      { query: text },
      { query: text.replace('title', 'id') },
    ]) {
      expect((await site.post(body, { 'x-api-key': 'demo' })).codes).toEqual([]);
    }
    await tracer.close();

    const roots = decoder.spans.filter(({ attributes }) => 'http.route' in attributes);
    expect(roots.map(({ name }) => name)).toEqual(['query Topics', 'query Topics', 'query']);
  });

  it('marks a failed operation as an error and is the exemplar of its duration', async () => {
    const decoder = await openDecoder();
    const { site, tracer } = await openTraced(decoder.url);
    site.upstream.on('*', status(500));

    await site.ask(PERSON, { headers: { traceparent: traceparent(TRACE) } });
    const open = await fetch(`${site.url}/metrics`, {
      headers: { accept: 'application/openmetrics-text' },
    });
    await tracer.close();

    const [server] = decoder.spans.filter(({ attributes }) => 'http.route' in attributes);
    expect(server!.status).toMatch(/ERROR|2/);
    expect(server!.attributes['error.type']).toBe('UPSTREAM_UNAVAILABLE');
    expect(await open.text()).toContain(`# {trace_id="${TRACE}",span_id="${server!.spanId}"}`);
  });
});

it('a trace has the request method over HTTP, and none over a WebSocket', async () => {
  const decoder = await openDecoder();
  const tracer = tracerFor(decoder.url);
  const site = await openGateway({ extensions: [traces(tracer)] });

  await site.ask(PERSON);
  const { subscribe, received } = await openSocket(site.url);
  subscribe('1', {}, PERSON);
  await until(() => received('complete').length > 0);
  await tracer.close();

  const ofOperations = decoder.spans.filter(({ attributes }) => 'http.route' in attributes);
  const methods = ofOperations.map(({ attributes }) => attributes['http.request.method']);
  expect(methods).toEqual(['POST', undefined]);
});

it('a trace has the route of its transport, such as /mcp', async () => {
  const decoder = await openDecoder();
  const tracer = tracerFor(decoder.url);
  const site = await openGateway({
    extensions: [
      traces(tracer),
      {
        routes: ({ prepare, run }) => ({
          '/mcp': async ({ method, headers }, arrival) => {
            const own = {
              transport: 'mcp',
              path: '/mcp',
              method,
              headers: Object.fromEntries(headers),
            };
            const request = { document: prepare(PERSON), variables: {}, ...own };
            return Response.json(await run(request, arrival));
          },
        }),
      },
    ],
  });

  await site.ask(PERSON);
  await fetch(`${site.url}/mcp`, { method: 'POST', headers: { 'x-api-key': KEY } });
  await tracer.close();

  const routes = decoder.spans.flatMap(({ attributes }) => attributes['http.route'] ?? []);
  expect(routes).toEqual(['/graphql', '/mcp']);
});

it('traceidratio decides once per trace: the collector and the backend record the same traces', async () => {
  const decoder = await openDecoder();
  const tracer = tracerFor(decoder.url, {
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
  });
  const site = await openGateway({ backend: 'faulty', extensions: [traces(tracer)] });

  for (let i = 0; i < 40; i++) await site.ask(PERSON);
  await tracer.close();

  const told = site.upstream.seen.flatMap(({ headers }) => headers['traceparent'] ?? []);
  const servers = decoder.spans.filter(({ attributes }) => 'http.route' in attributes);
  expect(servers.map(({ traceId }) => traceId)).toEqual(
    told.map((parent) => String(parent).split('-')[1]),
  );
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThan(40);
});

it.each([
  ['of a caller with a random id', '03', '03'],
  ['of a caller without a random id', '01', '01'],
])(
  'a trace %s keeps its flags and tracestate at the backend and the collector',
  async (_, given, told) => {
    const decoder = await openDecoder();
    const { site, tracer } = await openTraced(decoder.url);

    await site.ask(PERSON, {
      headers: { traceparent: traceparent(TRACE, given), tracestate: 'a=1,b=2' },
    });
    await tracer.close();

    const { headers } = site.upstream.seen.at(-1)!;
    expect(headers).toMatchObject({
      traceparent: expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-${told}$`)),
      tracestate: 'a=1,b=2',
    });
    expect(decoder.spans.length).toBeGreaterThan(1);
    for (const { traceState, flags } of decoder.spans) {
      expect({ traceState, flags }).toEqual({ traceState: 'a=1,b=2', flags: Number(told) });
    }
  },
);

it('a trace started by the gateway has a random id and sets the random flag', async () => {
  const decoder = await openDecoder();
  const { site, tracer } = await openTraced(decoder.url);

  await site.ask(PERSON);
  await tracer.close();

  expect(site.upstream.seen.at(-1)!.headers['traceparent']).toMatch(/-03$/);
  expect(decoder.spans.map(({ flags }) => flags)).toEqual(decoder.spans.map(() => 3));
});

describe('the trace context of a trace that is not recorded', () => {
  const contextAtBackend = async (sampler: string | undefined, headers: Record<string, string>) => {
    const url = await openHttp((_request, response) => response.end('{}'));
    const { site, tracer } =
      sampler === undefined
        ? { site: await openGateway({ backend: 'faulty' }), tracer: undefined }
        : await openTraced(url, { OTEL_TRACES_SAMPLER: sampler });
    await site.ask(PERSON, { headers });
    await tracer?.close();
    const { traceparent: parent, tracestate, baggage } = site.upstream.seen.at(-1)!.headers;
    return { parent, tracestate, baggage };
  };

  it.each([
    ['traces are off', undefined],
    ['its caller does not record it', 'parentbased_always_on'],
    ['the sampler drops it', 'always_off'],
  ])('is passed on to the backend unchanged, without baggage, when %s', async (_what, sampler) => {
    const parent = traceparent(TRACE, '00');

    expect(
      await contextAtBackend(sampler, { traceparent: parent, tracestate: 'a=1', baggage: 'b=2' }),
    ).toEqual({ parent, tracestate: 'a=1', baggage: undefined });
  });

  it.each([
    'nonsense',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${TRACE}-00f067aa0ba902b7-01`,
    `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${TRACE}-00f067aa0ba902b7-01-more`,
  ])('is not passed on when it is invalid: %s', async (parent) => {
    expect(await contextAtBackend(undefined, { traceparent: parent, tracestate: 'a=1' })).toEqual(
      {},
    );
  });

  it('is absent when the client sends none', async () => {
    expect(await contextAtBackend('always_off', {})).toEqual({});
  });
});

it.concurrent.each<[string, () => Promise<string>]>([
  ['is unreachable', async () => 'http://127.0.0.1:1'],
  ['hangs', () => openHttp(() => {})],
  ['resets', () => openHttp((request) => request.socket.destroy())],
  [
    'responds after 1.5 seconds',
    () =>
      openHttp((_request, response) => {
        setTimeout(() => response.end('{}'), 1_500);
      }),
  ],
  ['returns 503', () => openHttp((_request, response) => response.writeHead(503).end())],
])(
  'a collector that %s fails no operations and delays shutdown by less than 2.5 seconds',
  async (_what, open) => {
    const { site, tracer } = await openTraced(await open());

    const replies = await Promise.all(Array.from({ length: 20 }, () => site.ask(PERSON)));
    const end = await Promise.race([
      tracer.close().then(() => 'closed'),
      sleep(2_500, 'late', { ref: false }),
    ]);

    expect(replies.every(({ data }) => data.person.name === 'name')).toBe(true);
    expect(end).toBe('closed');
  },
);
