/** Subscriptions over server-sent events, with graphql-sse's client and with our own requests. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import {
  FAST,
  openEvents,
  openLive,
  sseClient,
  expectPublished,
  statusesOf,
  WATCH,
  type Events,
  type Progress,
} from './support.ts';
import { isSubscriptionEnd, openLog } from '../support/open-log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';

const NOBODY = formatNodeId('AudienceVersion', [IDS.page, IDS.audience, 'nobody']);

describe('a subscription over server-sent events', () => {
  it('delivers the states of a version from draft to published, and completes', async () => {
    const live = await openLive();
    const id = await live.draft();
    const events: Progress[] = [];

    const client = sseClient(live.site.url);
    const watching = (async () => {
      for await (const event of client.iterate({ query: WATCH, variables: { id } })) {
        events.push(event as Progress);
      }
    })();
    await until(() => events.length > 0);
    await live.publish(id);
    await watching;

    expectPublished(events);
    expect(events.map(({ data }) => data?.audienceVersionProgress?.isFinal)).toEqual([
      ...events.slice(1).map(() => false),
      true,
    ]);
    await live.quiet();
  });

  it('shares one poller among twenty watchers and stops polling when the last one disconnects', async () => {
    const live = await openLive({ live: { pollMs: { least: 50, most: 50 } } });
    const id = await live.draft();
    const streams: Events[] = [];
    for (let i = 0; i < 20; i++) streams.push(await openEvents(live.site.url, { id }));
    await until(() => streams.every(({ events }) => events.length > 0));

    const before = live.reads();
    const startMs = performance.now();
    await until(() => live.reads() - before >= 8);
    const periods = (performance.now() - startMs) / 45;
    expect(live.reads() - before).toBeLessThanOrEqual(Math.ceil(periods) + 1);
    expect(live.site.gateway.pollers).toMatchObject({ size: 1, watchers: 20 });

    for (const stream of streams) stream.leave();
    await live.quiet();
    expect(await live.readsMeanwhile()).toEqual([]);
  });

  it('delivers the result of a publish through this gateway without polling', async () => {
    const live = await openLive({ live: { pollMs: { least: 30_000, most: 30_000 } } });
    const id = await live.draft();
    const stream = await openEvents(live.site.url, { id });
    await until(() => stream.events.length > 0);

    await live.publish(id);
    await until(() => stream.events.length > 1);

    expect(statusesOf(stream.events)).toEqual(['draft', 'queued']);
    expect(live.reads()).toBe(1);
  });

  it('repeats the last event as a heartbeat every twenty seconds without polling', async () => {
    const clock = new FakeClock();
    const live = await openLive({ clock, live: { pollMs: { least: 90_000, most: 90_000 } } });
    const stream = await openEvents(live.site.url, { id: await live.draft() });

    for (let heartbeats = 0; heartbeats < 3; heartbeats++) {
      await until(() => stream.events.length === 1 + heartbeats && clock.waits.includes(20_000));
      clock.pass(19_999);
      expect(clock.waits).toContain(1);
      clock.pass(1);
    }

    await until(() => stream.events.length === 4);
    expect(new Set(stream.events.map((event) => JSON.stringify(event))).size).toBe(1);
    expect(live.reads()).toBe(1);
  });

  it('has headers that disable caching, compression and buffering for POST and GET', async () => {
    const live = await openLive();
    const id = await live.draft();

    for (const method of ['POST', 'GET'] as const) {
      const stream = await openEvents(live.site.url, { id }, { method });
      await until(() => stream.events.length > 0);
      expect(stream.response.status).toBe(200);
      const headers = Object.fromEntries(stream.response.headers);
      expect(headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      });
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers).not.toHaveProperty('server-timing'); // its calls are yet to come
      expect(headers).toHaveProperty('x-request-id');
      stream.leave();
    }
    await live.quiet();
  });

  it.each<[what: string, options: Parameters<typeof openEvents>[2], code: string]>([
    ['a request without a key', { apiKey: null }, 'UNAUTHENTICATED'],
    [
      'a GET without a header that cross-origin pages cannot send',
      { apiKey: null, method: 'GET' },
      'CSRF_HEADER_MISSING',
    ],
  ])(
    'rejects %s with an event, since clients retry after an error status',
    async (_, options, code) => {
      const live = await openLive();

      const stream = await openEvents(live.site.url, { id: NOBODY }, options);
      await stream.ended;

      expect(stream.response.status).toBe(200);
      expect(stream.events).toMatchObject([{ errors: [{ extensions: { code } }] }]);
      expect(stream.isComplete()).toBe(true);
    },
  );

  it.each<[what: string, options: Parameters<typeof openEvents>[2], status: number, code: string]>([
    ['a client that accepts only JSON', { accept: 'application/json' }, 406, 'NOT_ACCEPTABLE'],
    [
      'a client that accepts anything but events',
      { accept: '*/*, text/event-stream;q=0' },
      406,
      'NOT_ACCEPTABLE',
    ],
  ])('rejects %s', async (_, options, status, code) => {
    const live = await openLive();

    const { response } = await openEvents(live.site.url, { id: NOBODY }, options);

    expect(response.status).toBe(status);
    expect(await response.text()).toContain(code);
  });

  it.each([undefined, '*/*', 'application/json, text/plain, */*', 'text/*;q=0.1'])(
    'is streamed to a client with the header Accept: %s',
    async (accept) => {
      const live = await openLive();
      const id = await live.draft();
      const { port } = new URL(live.site.url);
      // Not `fetch`, which adds the header.
      const asked = request({
        port,
        path: '/graphql',
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': EXAMPLE_API_KEY,
          ...(accept && { accept }),
        },
      });
      asked.end(JSON.stringify({ query: WATCH, variables: { id } }));
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));

      await until(() => text.includes('event: next'));

      expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
      asked.destroy();
      await live.quiet();
    },
  );

  it('returns only headers for HEAD and then ends', async () => {
    const live = await openLive();
    const id = await live.draft();
    const search = new URLSearchParams({ query: WATCH, variables: JSON.stringify({ id }) });

    const response = await fetch(`${live.site.url}/graphql?${search}`, {
      method: 'HEAD',
      headers: { accept: 'text/event-stream', 'x-api-key': EXAMPLE_API_KEY },
    });

    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('content-length')).toBe(null);
    expect(await response.text()).toBe('');
    await live.quiet();
  });

  it.each(['POST', 'GET'] as const)(
    'is streamed to a client that also accepts JSON with %s',
    async (method) => {
      const live = await openLive();
      const id = await live.draft();
      const accept = 'application/graphql-response+json, application/json, text/event-stream';

      const stream = await openEvents(live.site.url, { id }, { method, accept });
      await until(() => stream.events.length > 0);
      stream.leave();

      await live.quiet();
    },
  );

  it('rejects an id of another type with BAD_USER_INPUT without reading a version', async () => {
    const live = await openLive();

    const stream = await openEvents(live.site.url, { id: formatNodeId('Page', [IDS.page]) });
    await stream.ended;

    expect(JSON.stringify(stream.events)).toContain('BAD_USER_INPUT');
    expect(live.reads()).toBe(0);
    await live.quiet();
  });

  it.each<[document: string, variables?: unknown]>([
    ['{ audienceVersionProgress(id: "x") @skip(if: true) { __typename } }'],
    ['($on: Boolean!) { audienceVersionProgress(id: "x") @include(if: $on) { __typename } }'],
    [
      '($on: Boolean!) { audienceVersionProgress(id: "x") @include(if: $on) { __typename } }',
      { on: true },
    ],
    ['{ ... @include(if: true) { audienceVersionProgress(id: "x") { __typename } } }'],
    [
      '{ ...F @skip(if: false) } fragment F on Subscription { pageProgress(id: "x") { __typename } }',
    ],
    [
      '{ ...F } fragment F on Subscription { pageProgress(id: "x") @skip(if: true) { __typename } }',
    ],
    ['{ pageProgress(id: "x") @skip { __typename } }'],
  ])('rejects @skip and @include at its root: subscription %s %j', async (document, variables) => {
    const live = await openLive();

    const { text } = await live.site.post(
      { query: `subscription S ${document}`, variables },
      { accept: 'text/event-stream', 'x-api-key': EXAMPLE_API_KEY },
    );

    expect(text).toMatch(/@(?:skip|include)/);
    expect(text).toContain('GRAPHQL_VALIDATION_FAILED');
  });

  it('accepts @skip and @include below its root', async () => {
    const live = await openLive();

    const { text } = await live.site.post(
      {
        query: `subscription { audienceVersionProgress(id: "${NOBODY}") {
          isFinal @include(if: true) ... @skip(if: true) { __typename } } }`,
      },
      { accept: 'text/event-stream', 'x-api-key': EXAMPLE_API_KEY },
    );

    expect(text).toContain('{"data":{"audienceVersionProgress":null}}');
  });

  it('delivers null for an unknown version, and completes', async () => {
    const live = await openLive();

    const stream = await openEvents(live.site.url, { id: NOBODY });
    await stream.ended;

    expect(stream.events).toEqual([{ data: { audienceVersionProgress: null } }]);
    expect(stream.isComplete()).toBe(true);
    await live.quiet();
  });

  it('resolves fields of related objects in its events', async () => {
    const live = await openLive();
    const id = await live.draft();
    const query =
      'subscription ($id: ID!) { audienceVersionProgress(id: $id) { audienceVersion { status page { name } audience { status } } } }';

    const stream = await openEvents(live.site.url, { id }, { query });
    await until(() => stream.events.length > 0);
    await live.publish(id);
    await stream.ended;

    expect(stream.events.at(-1)).toMatchObject({
      data: {
        audienceVersionProgress: {
          audienceVersion: {
            status: 'published',
            page: { name: 'Northwind launch' },
            audience: { status: 'published' },
          },
        },
      },
    });
  });

  it('counts against the limit of its API key only while an event is executed', async () => {
    const live = await openLive();
    const id = await live.draft();
    // More than half of what a key may have in flight.
    const versions =
      'versions(first: 100) { nodes { id versionId versionNumber status createdAt } }';
    const query = `subscription ($id: ID!) { audienceVersionProgress(id: $id) { isFinal audienceVersion { id status page { audiences(first: 100) { nodes { ${versions} } } } } } }`;

    const stream = await openEvents(live.site.url, { id }, { query });
    await until(() => stream.events.length > 0);
    await live.publish(id);
    await stream.ended;

    expectPublished(stream.events);
  });

  it('reports the polled route and the number of polls with x-explain', async () => {
    const live = await openLive();
    const id = await live.draft();
    const stream = await openEvents(live.site.url, { id }, { explain: true });
    await until(() => stream.events.length > 0);
    await until(() => live.reads() > 2);
    await live.publish(id);
    await stream.ended;

    const explained = stream.events.map(({ extensions }) => extensions?.upstream);
    expect(explained[0]).toMatchObject({
      calls: 0,
      polls: {
        method: 'GET',
        route: '/v0/pages/{page_id}/audiences/{audience_id}/versions/{version_id}',
        count: 1,
      },
    });
    expect(explained.at(-1)?.polls?.count).toBeGreaterThan(2);
    expect(explained.at(-1)?.polls?.count).toBeLessThanOrEqual(live.reads());
  });

  it('is rejected with 429 above the limit of its API key, and accepted once another subscription has ended', async () => {
    const live = await openLive({ live: { ...FAST, maxPerKey: 2 } });
    const id = await live.draft();
    const first = await openEvents(live.site.url, { id });
    await openEvents(live.site.url, { id });

    const third = await openEvents(live.site.url, { id });
    expect(third.response.status).toBe(429);
    expect(await third.response.text()).toContain('TOO_MANY_SUBSCRIPTIONS');

    first.leave();
    await until(() => live.site.gateway.subscriptions.size === 1);
    const fourth = await openEvents(live.site.url, { id });
    expect(fourth.response.status).toBe(200);
  });

  it('is the body of a Fetch API response when the gateway is called without a server', async () => {
    const live = await openLive();
    const id = await live.draft();

    const response = await live.site.gateway.fetch(
      new Request('http://gateway/graphql', {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          'x-api-key': EXAMPLE_API_KEY,
        },
        body: JSON.stringify({ query: WATCH, variables: { id } }),
      }),
    );
    const reader = response.body!.getReader();
    const { value } = await reader.read();

    expect(new TextDecoder().decode(value)).toContain('"status":"draft"');
    await reader.cancel();
    await live.quiet();
  });

  it('is counted in the metrics', async () => {
    const live = await openLive();
    const id = await live.draft();
    const stream = await openEvents(live.site.url, { id });
    await until(() => stream.events.length > 0);
    const during = await live.site.gateway.metrics.registry.metrics();
    await live.publish(id);
    await stream.ended;
    const after = await live.site.gateway.metrics.registry.metrics();

    expect(during).toContain('gateway_subscriptions_open 1');
    expect(during).toContain('gateway_live_watchers 1');
    expect(during).toContain('gateway_live_pollers 1');
    expect(after).toContain('gateway_subscriptions_open 0');
    expect(after).toContain('gateway_live_pollers 0');
    expect(after).toContain('gateway_subscription_ends_total{cause="complete"} 1');
    expect(after).toMatch(/gateway_subscription_events_total\{kind="event"\} [2-9]/);
    expect(after).toMatch(/gateway_live_polls_total\{outcome="ok"\} [1-9]/);
    expect(after).toMatch(/gateway_live_lag_seconds_count [1-9]/);
  });
});

describe('a publish with waitFor', () => {
  const WAIT =
    'mutation ($input: PublishAudienceVersionInput!) { publishAudienceVersion(input: $input) { reached audienceVersion { status page { name } } userErrors { code field message } } }';
  const publish = async (live: Awaited<ReturnType<typeof openLive>>, input: object) => {
    const body = await live.mutate(WAIT, { input });
    return body.data.publishAudienceVersion;
  };
  const writes = (calls: readonly string[]) =>
    calls.filter((line) => line.startsWith('POST') && line.endsWith('/publish')).length;

  it('responds when the state is reached and sends the write once', async () => {
    const live = await openLive();
    const id = await live.draft();

    const payload = await publish(live, { id, waitFor: 'published', timeoutMs: 5_000 });

    expect(payload).toMatchObject({
      reached: true,
      audienceVersion: { status: 'published', page: { name: 'Northwind launch' } },
      userErrors: [],
    });
    expect(writes(live.calls)).toBe(1);
    await live.quiet();
  });

  it('responds at its time-out with the current state', async () => {
    const live = await openLive({ publishDelayMs: 60_000 });
    const id = await live.draft();

    const payload = await publish(live, { id, waitFor: 'published', timeoutMs: 100 });

    expect(payload).toMatchObject({ reached: false, audienceVersion: { status: 'queued' } });
    expect(writes(live.calls)).toBe(1);
    await live.quiet();
  });

  it('waits no longer than the request time-out', async () => {
    const live = await openLive({ publishDelayMs: 60_000, limits: { requestTimeoutMs: 1_500 } });
    const id = await live.draft();
    const startMs = performance.now();

    const payload = await publish(live, { id, waitFor: 'published', timeoutMs: 60_000 });

    expect(payload).toMatchObject({ reached: false, audienceVersion: { status: 'queued' } });
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });

  it('does not wait for a state that is already reached or is unreachable', async () => {
    const live = await openLive({ publishDelayMs: 60_000 });
    const id = await live.draft();

    const queued = await publish(live, { id, waitFor: 'queued', timeoutMs: 30_000 });
    expect(queued).toMatchObject({ reached: true, audienceVersion: { status: 'queued' } });

    const other = await live.draft();
    const waiting = publish(live, { id: other, waitFor: 'published', timeoutMs: 9_000 });
    await until(() => live.site.gateway.pollers.watchers > 0);
    await live.archiveAudienceOf(other);
    expect(await waiting).toMatchObject({
      reached: false,
      audienceVersion: { status: 'cancelled' },
    });
  });

  it('returns reached: null without waitFor, and rejects a time-out above one minute without a write', async () => {
    const live = await openLive();
    const id = await live.draft();

    expect(await publish(live, { id, waitFor: 'published', timeoutMs: 60_001 })).toEqual({
      reached: null,
      audienceVersion: null,
      userErrors: [
        { code: 'TOO_LARGE', field: ['timeoutMs'], message: expect.stringContaining('60000') },
      ],
    });
    expect(await publish(live, { id })).toMatchObject({ reached: null });
    expect(writes(live.calls)).toBe(1);
  });
});

it.each([
  ['completes', 'complete', 'ok'],
  ['is left by its client', 'left', 'abandoned'],
])(
  'a subscription that %s is logged with the common operation fields and the reason it ended',
  async (how, cause, outcome) => {
    const { lines, logger } = openLog('info');
    const live = await openLive({ logger });
    const id = await live.draft();
    const stream = await openEvents(live.site.url, { id });
    await until(() => stream.events.length > 0);

    if (how === 'completes') await live.publish(id);
    else stream.leave();
    await until(() => lines.some(isSubscriptionEnd));

    const ended = lines.find(isSubscriptionEnd)!;
    const begun = lines.find((line) => line['operationType'] === 'subscription')!;
    expect(Object.keys(ended)).toEqual(expect.arrayContaining(Object.keys(begun)));
    expect(ended).toMatchObject({ requestId: begun['requestId'], cause, outcome, status: 200 });
  },
);
