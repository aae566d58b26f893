/** Traces: what a collector gets of an operation, what the backend is told, and what a bad collector costs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Journal, JournalEntry } from '../../src/rest/call/journal.ts';
import { silentLogger } from '../../src/server/observe/logger.ts';
import { openTracer } from '../../src/server/observe/traces/tracer.ts';
import { openCollector, openDecoder, type DecodedSpan } from '../support/collector.ts';
import { KEY } from '../support/client.ts';
import { status } from '../support/faults.ts';
import { openGateway } from '../support/open-gateway.ts';
import { openEvents, openLive, until } from '../live/support.ts';
import { world } from '../support/world.ts';

/** The SDK reads where its collector is as the exporter is made. */
function tracerFor(url: string, sampler = 'parentbased_always_on') {
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = url;
  try {
    return openTracer({ sampler, ratio: 1, version: '1', logger: silentLogger() });
  } finally {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  }
}

async function openTraced(url: string, sampler?: string) {
  const tracer = tracerFor(url, sampler);
  const site = await openGateway({ backend: 'faulty', tracer });
  return { site, tracer };
}

const hexOf = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))
    .filter((id) => !/^0+$/.test(id));

const traceparent = (traceId: string, flags = '01') => `00-${traceId}-00f067aa0ba902b7-${flags}`;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PERSON = '{ person(personId: "p") { name } }';

/** A field of each kind of fate: answered, refused, failing, failing at first, asked twice. */
const FIELDS: Readonly<Record<string, string>> = {
  person: 'person(personId: "p") { name }',
  samePerson: 'person(personId: "p") { emailAddress: name }',
  topic: 'topic(topicId: "t") { title }',
  gone: 'topic(topicId: "gone") { title }',
  broken: 'topic(topicId: "broken") { title }',
  flaky: 'person(personId: "flaky") { name }',
  list: 'topics(first: 2) { nodes { title } }',
};

const callOf = ({ route, status: code, attempt, span }: JournalEntry) => ({
  name: `${route.method} ${route.path}`,
  spanId: span?.spanId,
  code: code === undefined ? undefined : String(code),
  resent: attempt > 1 ? String(attempt - 1) : undefined,
});

const spanAsCall = ({ name, spanId, attributes }: DecodedSpan) => ({
  ...{ name, spanId },
  code: textOf(attributes['http.response.status_code']),
  resent: textOf(attributes['http.request.resend_count']),
});

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : JSON.stringify(value).replaceAll('"', '');

const inOrder = <One extends { readonly spanId: string | undefined }>(all: readonly One[]) =>
  [...all].sort((a, b) => String(a.spanId).localeCompare(String(b.spanId)));

describe('a trace', () => {
  it('is the tree of the journal, whatever the operation', async () => {
    const decoder = await openDecoder();
    const { site, tracer } = await openTraced(decoder.url);
    const asked: { traceId: string; journal: Journal; seen: string[] }[] = [];

    await fc.assert(
      fc.asyncProperty(
        hexOf(32),
        fc.array(fc.constantFrom(...Object.keys(FIELDS)), { minLength: 1, maxLength: 8 }),
        async (traceId, names) => {
          site.upstream.on('GET /v0/topics/gone', status(404));
          site.upstream.on('GET /v0/topics/broken', status(500));
          site.upstream.on('GET /v0/persons/flaky', status(503), world());
          const before = site.upstream.seen.length;
          const fields = names.map((name, i) => `f${i}: ${FIELDS[name]}`);
          await site.ask(`{ ${fields.join(' ')} }`, {
            headers: { traceparent: traceparent(traceId) },
          });
          const seen = site.upstream.seen
            .slice(before)
            .map(({ headers }) => String(headers['traceparent']));
          asked.push({ traceId, journal: site.journal, seen });
        },
      ),
      { numRuns: 40 },
    );
    await tracer.close();

    for (const { traceId, journal, seen } of asked) {
      const spans = decoder.spans.filter((span) => span.traceId === traceId);
      const servers = spans.filter(({ kind }) => /SERVER|^2$/.test(kind));
      const clients = spans.filter(({ kind }) => /CLIENT|^3$/.test(kind));
      const sent = journal.entries.filter(({ source }) => source === 'sent');
      const others = journal.entries.filter(({ source }) => source !== 'sent');
      expect(servers).toHaveLength(1);
      const [server] = servers;
      expect(server!.parentSpanId).toBe('00f067aa0ba902b7');
      expect(
        spans.filter((span) => span !== server).map(({ parentSpanId }) => parentSpanId),
      ).toEqual(spans.filter((span) => span !== server).map(() => server!.spanId));
      expect(inOrder(clients.map(spanAsCall))).toEqual(inOrder(sent.map(callOf)));
      expect(
        server!.events.map(({ name }) => name).filter((name) => name !== 'graphql.error'),
      ).toEqual(others.map(({ source, route }) => `${source} ${route.method} ${route.path}`));
      // The backend's own spans will be children of these.
      expect([...seen].sort()).toEqual(
        sent.map(({ span }) => `00-${traceId}-${span!.spanId}-01`).sort(),
      );
    }
  });

  it('links a read that joined another request’s to the span of that call', async () => {
    const decoder = await openDecoder();
    const { site, tracer } = await openTraced(decoder.url);

    await Promise.all([site.ask(PERSON), site.ask(PERSON)]);
    await tracer.close();

    const [call] = decoder.spans.filter(({ name }) => name === 'GET /v0/persons/{person_id}');
    const linked = decoder.spans.find(({ links }) => links.length > 0);
    expect(linked!.links).toEqual([{ traceId: call!.traceId, spanId: call!.spanId }]);
    expect(linked!.events.map(({ name }) => name)).toEqual(['shared GET /v0/persons/{person_id}']);
  });

  it('of a subscription’s event is one of its own, linked to the subscription', async () => {
    const decoder = await openDecoder();
    const tracer = tracerFor(decoder.url);
    const live = await openLive({ tracer });
    const id = await live.draft();
    const { ended, events } = await openEvents(live.site.url, { id });
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
  });

  it('holds no key, no variable, no id and no header', async () => {
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

  it('names an operation that failed an error, and says of its duration which trace it is of', async () => {
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

describe('a trace that is not recorded', () => {
  const heard = async (sampler: string | undefined, headers: Record<string, string>) => {
    const url = await openCollector((_request, response) => response.end('{}'));
    const { site, tracer } =
      sampler === undefined
        ? { site: await openGateway({ backend: 'faulty' }), tracer: undefined }
        : await openTraced(url, sampler);
    await site.ask(PERSON, { headers });
    await tracer?.close();
    const { traceparent: parent, tracestate, baggage } = site.upstream.seen.at(-1)!.headers;
    return { parent, tracestate, baggage };
  };

  it.each([
    ['traces are off', undefined],
    ['its caller does not record it', 'parentbased_always_on'],
    ['the sampler leaves it out', 'always_off'],
  ])('goes on to the backend as it came where %s', async (_what, sampler) => {
    const parent = traceparent(TRACE, '00');

    expect(
      await heard(sampler, { traceparent: parent, tracestate: 'a=1', baggage: 'b=2' }),
    ).toEqual({ parent, tracestate: 'a=1', baggage: undefined });
  });

  it.each([
    'nonsense',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${TRACE}-00f067aa0ba902b7-01`,
    `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${TRACE}-00f067aa0ba902b7-01-more`,
  ])('does not go on where it is no trace: %s', async (parent) => {
    expect(await heard(undefined, { traceparent: parent, tracestate: 'a=1' })).toEqual({});
  });

  it('has no headers where its caller sends none', async () => {
    expect(await heard('always_off', {})).toEqual({});
  });
});

describe('a collector', () => {
  it.each<[string, () => Promise<string>]>([
    ['is away', async () => 'http://127.0.0.1:1'],
    ['hangs', () => openCollector(() => {})],
    ['resets', () => openCollector((request) => request.socket.destroy())],
    ['refuses', () => openCollector((_request, response) => response.writeHead(503).end())],
  ])('that %s costs no answer anything, and the end at most two seconds', async (_what, open) => {
    const { site, tracer } = await openTraced(await open());

    const replies = await Promise.all(Array.from({ length: 20 }, () => site.ask(PERSON)));
    const beganMs = performance.now();
    await tracer.close();

    expect(replies.every(({ data }) => data.person.name === 'name')).toBe(true);
    expect(performance.now() - beganMs).toBeLessThan(2_500);
  });
});
