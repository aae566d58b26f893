/** The subscription `pageProgress`: all audiences of a page in one stream. */
import { describe, expect, it } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { listOf, openGateway } from '../support/open-gateway.ts';
import { ok, status } from '../support/faults.ts';
import { IDS } from '../support/ids.ts';
import { routes } from '../../src/v0/routes.ts';
import { sampleOf, world } from '../support/world.ts';
import { openEvents, openLive, type Events } from './support.ts';
import { until } from '../support/until.ts';

const PAGE = formatNodeId('Page', [IDS.page]);

const WATCH_PAGE = `subscription ($id: ID!) { pageProgress(id: $id) {
  audiences { id status latestVersion { id status } } } }`;

interface WatchedAudience {
  readonly id: string;
  readonly status: string;
  readonly latestVersion: { readonly id: string; readonly status: string };
}

const watch = (url: string, id = PAGE): Promise<Events> =>
  openEvents(url, { id }, { query: WATCH_PAGE });

/** The audiences of each event. */
const audiencesOf = ({ events }: Events): (readonly WatchedAudience[])[] =>
  events.map(({ data }) => (data as any)?.pageProgress?.audiences);

const lists = (calls: readonly string[]): string[] =>
  calls.filter((line) => /^GET \/v0\/pages\/[^/]+\/audiences\?/.test(line));

describe('pageProgress', () => {
  it('sends all audiences in its first event, then only audiences whose versions change', async () => {
    const live = await openLive();
    const version = await live.draft();
    const stream = await watch(live.site.url);
    await until(() => stream.events.length > 0);

    await live.publish(version);
    const isOf = ({ latestVersion }: WatchedAudience) => latestVersion.id === version;
    const statuses = () =>
      audiencesOf(stream).flatMap((audiences) =>
        audiences.filter(isOf).map((one) => one.latestVersion.status),
      );
    await until(() => statuses().at(-1) === 'published');

    const [first, ...later] = audiencesOf(stream);
    expect(first!.length).toBeGreaterThan(10);
    expect(first!.filter(isOf).map((one) => one.latestVersion.status)).toEqual(['draft']);
    for (const audiences of later) expect(audiences.every(isOf)).toBe(true);
    const ORDER = ['draft', 'queued', 'processing', 'published'];
    const ranks = statuses().map((one) => ORDER.indexOf(one));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect(stream.isComplete()).toBe(false);
    stream.leave();
    await live.quiet();
  });

  it('shares one poller among five watchers and stops it when the last one disconnects', async () => {
    const live = await openLive({ live: { pollMs: { least: 30_000, most: 30_000 } } });
    const streams: Events[] = [];
    for (let i = 0; i < 5; i++) streams.push(await watch(live.site.url));
    await until(() => streams.every(({ events }) => events.length > 0));

    expect(live.site.gateway.pollers).toMatchObject({ size: 1, watchers: 5 });
    // Later watchers wait for a poll that began after they came, and share it.
    expect(lists(live.calls).length).toBeLessThanOrEqual(5);
    for (const stream of streams) stream.leave();
    await live.quiet();
    expect(live.site.gateway.pollers.size).toBe(0);
  });

  it('sends the audience of a publish through this gateway as its next event', async () => {
    const live = await openLive({ live: { pollMs: { least: 200, most: 30_000 } } });
    const version = await live.draft();
    const stream = await watch(live.site.url);
    await until(() => stream.events.length > 0);

    await live.publish(version);
    await until(() => stream.events.length > 1);

    expect(audiencesOf(stream)[1]!.map(({ latestVersion }) => latestVersion.id)).toEqual([version]);
  });

  it('sends an audience that was created after it started', async () => {
    const live = await openLive();
    const stream = await watch(live.site.url);
    await until(() => stream.events.length > 0);

    const version = await live.draft();
    await until(() => stream.events.length > 1);

    expect(audiencesOf(stream)[1]!.map(({ latestVersion }) => latestVersion.id)).toEqual([version]);
  });

  it('sends null for an unknown page, and completes', async () => {
    const live = await openLive();

    const stream = await watch(live.site.url, formatNodeId('Page', ['nobody']));
    await stream.ended;

    expect(stream.events).toEqual([{ data: { pageProgress: null } }]);
    expect(stream.isComplete()).toBe(true);
  });

  it.each([IDS.page, formatNodeId('Audience', [IDS.page, IDS.audience])])(
    'rejects an id that is not the global id of a page without a REST call: %s',
    async (id) => {
      const live = await openLive();

      const stream = await watch(live.site.url, id);
      await stream.ended;

      expect(JSON.stringify(stream.events)).toContain('BAD_USER_INPUT');
      expect(lists(live.calls)).toEqual([]);
    },
  );

  it('sends an error while the backend fails and continues when the backend recovers', async () => {
    const site = await openGateway({
      backend: 'faulty',
      live: { pollMs: { least: 20, most: 40 } },
    });
    const rest = world();
    let isFailing = false;
    site.upstream.on('*', (response, seen, socket) =>
      (isFailing ? status(503) : rest)(response, seen, socket),
    );
    const stream = await openEvents(
      site.url,
      { id: PAGE },
      { query: WATCH_PAGE, apiKey: EXAMPLE_API_KEY },
    );
    await until(() => stream.events.length > 0);

    isFailing = true;
    await until(() => stream.events.some(({ errors }) => errors));
    isFailing = false;
    await until(() => !stream.events.at(-1)?.errors);

    const failed = stream.events.find(({ errors }) => errors)!;
    expect(failed.errors?.[0]?.extensions?.['code']).toBe('UPSTREAM_UNAVAILABLE');
    expect((failed.data as any).pageProgress.audiences).toEqual([]);
    expect(audiencesOf(stream).at(-1)).toEqual([]);
    stream.leave();
  });

  it('never returns to an earlier version when an outdated replica responds', async () => {
    const site = await openGateway({
      backend: 'faulty',
      live: { pollMs: { least: 20, most: 40 } },
    });
    const keys = { page_id: 'p', audience_id: 'a' };
    const audience = sampleOf(routes.getAudience, keys);
    const version = sampleOf(routes.getVersion, { ...keys, version_id: 'v' });
    const at = (versionNumber: number, state: string) => {
      const latestVersion = {
        ...version,
        versionId: `v${versionNumber}`,
        versionNumber,
        status: state,
      };
      return ok(listOf([{ ...audience, latestVersion }], new URL(site.url)));
    };
    site.upstream.on(
      'GET /v0/pages/p/audiences',
      at(1, 'published'),
      at(2, 'draft'),
      at(1, 'published'),
      at(2, 'queued'),
      at(1, 'published'),
      at(2, 'draft'),
      at(2, 'published'),
    );
    const stream = await openEvents(
      site.url,
      { id: formatNodeId('Page', ['p']) },
      { query: WATCH_PAGE, apiKey: EXAMPLE_API_KEY },
    );

    const seen = () =>
      audiencesOf(stream).flatMap((audiences) =>
        audiences.map(({ latestVersion: { status: state } }) => state),
      );
    await until(() => site.upstream.hits('GET /v0/pages/p/audiences') > 8);

    expect(seen()).toEqual(['published', 'draft', 'queued', 'published']);
    stream.leave();
  });

  it('restarts a long list when a cursor expires, then sends an error and continues', async () => {
    const site = await openGateway({
      backend: 'faulty',
      live: { pollMs: { least: 20, most: 40 } },
    });
    const sample = sampleOf(routes.listAudiences, { page_id: IDS.page });
    const items = Array.from({ length: 150 }, (_, i) => ({
      ...{ ...sample['items'][0], audienceId: `a${i}` },
    }));
    let rejections = 1;
    site.upstream.on('*', (response, seen, socket) => {
      const isRejected = seen.target.includes('cursor=') && rejections-- > 0;
      const list = ok(listOf(items, new URL(seen.target, 'http://backend')));
      return (isRejected ? status(404) : list)(response, seen, socket);
    });
    const stream = await watch(site.url);
    await until(() => stream.events.length > 0);

    rejections = Infinity;
    await until(() => stream.events.some(({ errors }) => errors));
    rejections = 0;
    await until(() => !stream.events.at(-1)?.errors);

    const [first, failed] = stream.events;
    expect((first!.data as any).pageProgress.audiences).toHaveLength(150);
    expect(failed!.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
    expect(stream.isComplete()).toBe(false);
    stream.leave();
  });

  it('sends UPSTREAM_UNSUPPORTED and completes when the backend lacks the list of audiences', async () => {
    const { url, gateway } = await openGateway({ rest: { routeSet: 'document' } });

    const stream = await watch(url);
    await stream.ended;

    const [event] = stream.events;
    expect(event?.errors?.[0]?.extensions?.['code']).toBe('UPSTREAM_UNSUPPORTED');
    expect(stream.isComplete()).toBe(true);
    expect(gateway.pollers.size).toBe(0);
  });
});
