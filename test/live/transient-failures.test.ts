/** What ends a watch of an object or a wait for it: only what the backend itself says for good. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { ID, inState } from '../faults/live-watchers.ts';
import { html, ofProxy, status, type Behaviour } from '../support/faults.ts';
import { openGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';
import { world } from '../support/world.ts';
import { openEvents, WATCH, wsClient, type Progress } from './support.ts';

const ROUTE = 'GET /v0/pages/p/audiences/a/versions/v';
const PUBLISH = 'POST /v0/pages/p/audiences/a/versions/v/publish';
const LIST = 'GET /v0/pages/p/audiences';
const WATCH_PAGE = 'subscription ($id: ID!) { pageProgress(id: $id) { audiences { status } } }';

const PASSING: readonly Behaviour[] = [
  ...[400, 401, 403, 404, 410, 421].map(html),
  ...[400, 408, 409, 421, 422, 423, 425].map((code) => status(code)),
  ofProxy(401, ''),
  ofProxy(403, '{"message":"Forbidden"}'),
];

const open = () => openGateway({ backend: 'faulty', live: { pollMs: { least: 10, most: 20 } } });

type Site = Awaited<ReturnType<typeof open>>;

/** Opens a stream of a kind, and collects its events. */
type Watch = (site: Site) => Promise<{ events: readonly Progress[]; isComplete: () => boolean }>;

const bySocket: Watch = async ({ url }) => {
  const events: Progress[] = [];
  let isComplete = false;
  const stop = wsClient(url, 'key').subscribe(
    { query: WATCH, variables: { id: ID } },
    {
      next: (event) => events.push(event as Progress),
      error: () => {},
      complete: () => (isComplete = true),
    },
  );
  onTestFinished(stop);
  return { events, isComplete: () => isComplete };
};

const ofPage: Watch = ({ url }) =>
  openEvents(url, { id: formatNodeId('Page', ['p']) }, { query: WATCH_PAGE, apiKey: 'key' });

const KINDS: readonly [string, string, Watch][] = [
  [
    'of server-sent events',
    ROUTE,
    ({ url }: Site) => openEvents(url, { id: ID }, { apiKey: 'key' }),
  ],
  ['by WebSocket', ROUTE, bySocket],
  ['of a page', LIST, ofPage],
];

describe.each(KINDS)('a subscription %s', (_name, route, watch) => {
  it('continues after each 4xx that is not definitive', async () => {
    const site = await open();
    const healthy = route === ROUTE ? inState('queued') : world();
    site.upstream.on(route, healthy);
    const stream = await watch(site);
    await until(() => stream.events.length > 0);

    for (const fault of PASSING) {
      const before = stream.events.length;
      site.upstream.on(route, fault);
      await until(() => stream.events.slice(before).some(({ errors }) => errors));
      site.upstream.on(route, healthy);
      await until(() => !stream.events.at(-1)!.errors);
    }

    expect(stream.isComplete()).toBe(false);
  });

  it.each([
    ['rejects the API key with 401', status(401), 'UNAUTHENTICATED'],
    ['rejects the API key with 403', status(403), 'FORBIDDEN'],
    ['returns 404 for the object', status(404), undefined],
    ['returns 410 for the object', status(410), undefined],
  ])('completes when the backend itself %s', async (_what, answer, code) => {
    const site = await open();
    site.upstream.on(route, route === ROUTE ? inState('queued') : world());
    const stream = await watch(site);
    await until(() => stream.events.length > 0);

    site.upstream.on(route, answer);
    await until(() => stream.isComplete());

    expect(stream.events.at(-1)!.errors?.[0]?.extensions?.['code']).toBe(code);
    expect(site.gateway.pollers.size).toBe(0);
  });
});

describe('a publish with waitFor', () => {
  const waitFor = async (
    wanted: string,
    timeoutMs: number,
    written: string,
    reads: Behaviour[],
  ) => {
    const site = await open();
    site.upstream.on(PUBLISH, inState(written));
    site.upstream.on(ROUTE, ...reads);
    const { data, errors } = await site.ask(
      `mutation { publishAudienceVersion(input: { id: "${ID}", waitFor: ${wanted}, timeoutMs: ${timeoutMs} })
         { reached audienceVersion { versionId status } } }`,
      { apiKey: 'key' },
    );
    expect(site.upstream.hits(PUBLISH)).toBe(1);
    return { ...data.publishAudienceVersion, errors };
  };

  it('continues to wait after each 4xx that is not definitive', async () => {
    const payload = await waitFor('published', 30_000, 'queued', [
      ...PASSING.flatMap((fault) => [fault, inState('processing')]),
      inState('published'),
    ]);

    expect(payload).toMatchObject({ reached: true, audienceVersion: { status: 'published' } });
  });

  it.each([
    ['in the response to the write', 'scheduled', ['processing', 'published']],
    ['in a later poll', 'queued', ['scheduled', 'processing', 'published']],
  ])('continues to wait after an unknown status %s', async (_where, written, states) => {
    const payload = await waitFor(
      'published',
      30_000,
      written,
      states.map((one) => inState(one)),
    );

    expect(payload).toMatchObject({ reached: true, audienceVersion: { status: 'published' } });
    expect(payload.errors).toEqual([]);
  });

  it.each([
    ['queued', ['queued', 'failed']],
    ['failed', ['failed']],
  ])('fails the status field if it is unknown at the end, after %s', async (written, states) => {
    const payload = await waitFor(
      'published',
      300,
      written,
      states.map((one) => inState(one)),
    );

    expect(payload.reached).toBe(false);
    expect(payload.errors).toMatchObject([
      {
        path: ['publishAudienceVersion', 'audienceVersion', 'status'],
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
      },
    ]);
  });

  it('never returns to an earlier state after an unknown one', async () => {
    const states = ['processing', 'scheduled', 'queued'];
    const payload = await waitFor(
      'published',
      300,
      'queued',
      states.map((one) => inState(one)),
    );

    expect(payload).toMatchObject({ reached: false, audienceVersion: { versionId: 'v' } });
    expect(payload.errors).toHaveLength(1);
  });
});
