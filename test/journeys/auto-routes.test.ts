/**
 * A gateway that detects which of the optional routes its backend lacks.
 */
import { execute, parse, type DocumentNode, type GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../src/graph/context.ts';
import { createTranslate } from '../../src/gateway/operation/error-translation.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { planFor } from '../../src/plan/cost.ts';
import type { RequestScope } from '../../src/rest/client/client.ts';
import { createUpstream, type Upstream } from '../../src/rest/upstream.ts';
import type { UpstreamOptions } from '../../src/rest/call/options.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { schema } from '../../src/app/schema.ts';
import { extendedRoutes, routes, type Route, type RouteSet } from '../../src/v0/routes.ts';
import { afterFile } from '../support/after-file.ts';
import { cases } from '../support/cases.ts';
import { clientDocuments } from '../support/client-documents.ts';
import { randomFrom, randomQuery } from '../support/random-query.ts';
import { openSmallBackend, type SmallBackend } from '../support/small-backend.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { scopeOf } from '../support/settings.ts';

type Answer = { readonly data: any; readonly errors: readonly GraphQLError[] };
type Variables = Readonly<Record<string, unknown>>;

const dispatchers = new Map<SmallBackend, BackendDispatcher>();

/** A gateway that has just been started, and finds the routes out or takes them from `routeSet`. */
function startGateway(
  world: SmallBackend,
  routeSet: RouteSet | 'auto' = 'auto',
  onMissingRoute: (route: { readonly path: string }) => void = () => {},
  onUndecidedRoute: (route: { readonly path: string }) => void = () => {},
  staged: Partial<UpstreamOptions> = {},
): Upstream {
  let dispatcher = dispatchers.get(world);
  if (!dispatcher) {
    dispatchers.set(world, (dispatcher = new BackendDispatcher(world.url)));
    afterFile(() => dispatcher!.close());
  }
  return createUpstream({
    ...{ dispatcher, pathPrefix: '', routeSet, timeoutMs: 3_000, maxResponseBytes: 1_000_000 },
    // Keeps the circuit closed when the backend rejects routes with 501.
    breaker: { volume: Number.MAX_SAFE_INTEGER },
    observer: { onMissingRoute, onUndecidedRoute },
    ...staged,
  });
}

const translate = createTranslate({ suggestions: true, routes: true });

async function ask(
  upstream: Upstream,
  source: string | DocumentNode,
  variableValues: Variables = {},
  scope: Partial<RequestScope> = {},
): Promise<Answer> {
  const rest = upstream(scopeOf({ apiKey: 'demo', ...scope }));
  const document = typeof source === 'string' ? parse(source) : source;
  const contextValue = createContext(rest, { apiKey: 'demo' });
  const { data, errors = [] } = await execute({ schema, document, variableValues, contextValue });
  return { data: JSON.parse(JSON.stringify(data ?? null)), errors: errors.map(translate) };
}

/** Each null and each difference that no error explains. */
function unexplained(partial: Answer, full: Answer): string[] {
  const found: string[] = [];
  const isExplained = (errors: Answer['errors'], path: readonly (string | number)[]): boolean =>
    errors.some((error) => path.every((step, i) => error.path?.[i] === step));
  compare(partial.data, full.data, []);
  return found;

  function compare(mine: any, other: any, path: readonly (string | number)[]): void {
    if (mine === null || other === null || mine === undefined || other === undefined) {
      if (mine === other) return;
      const { errors } = mine === null ? partial : full;
      if (!isExplained(errors, path)) found.push(`${path.join('.')}: ${mine} for ${other}`);
    } else if (typeof mine === 'object') {
      const names = new Set([...Object.keys(mine), ...Object.keys(other)]);
      for (const name of names) {
        const step = Array.isArray(mine) ? Number(name) : name;
        // A cursor depends on the route that its list is read by.
        if (/cursor$/i.test(name)) continue;
        compare(mine[name], other[name], [...path, step]);
      }
    } else if (mine !== other) found.push(`${path.join('.')}: ${mine} for ${other}`);
  }
}

/** Every subset of the six routes. */
const SUBSETS: readonly (readonly Route[])[] = Array.from(
  { length: 2 ** extendedRoutes.length },
  (_, bits) => extendedRoutes.filter((_route, i) => bits & (1 << i)),
);

const VERSION_ID = formatNodeId('AudienceVersion', ['p1', 'a1', 'a1v2']);

const DOCUMENTS = clientDocuments({
  ...{ accountId: 'ac1', pageId: 'p1', version: VERSION_ID, draft: VERSION_ID, pageSize: 2 },
  words: { account: 'one', page: 'page' },
});

const NODES = [
  formatNodeId('Page', ['p1']),
  formatNodeId('Page', ['nope']),
  formatNodeId('Audience', ['p1', 'a1']),
  formatNodeId('Audience', ['p1', 'nope']),
  formatNodeId('Audience', ['p2', 'nope']),
  formatNodeId('Account', ['ac1']),
  formatNodeId('Account', ['nope']),
  formatNodeId('AccountLog', ['ac1', 'l1']),
  formatNodeId('AccountLog', ['ac1', 'nope']),
  formatNodeId('AccountLog', ['ac2', 'nope']),
  VERSION_ID,
];

const VALUES = {
  pageId: ['p1', 'p1', 'p2', 'nope'],
  audienceId: ['a1', 'a2', 'a3', 'nope'],
  versionId: ['a1v1', 'a1v2', 'nope'],
  topicId: ['t1', 'nope'],
  accountId: ['ac1', 'ac1', 'ac2', 'nope'],
  personId: ['pe1', 'nope'],
  query: ['one', 'page'],
  id: NODES,
  ids: NODES,
};

const codes = ({ errors }: Answer): unknown[] => errors.map(({ extensions }) => extensions['code']);

const AUDIENCES = '{ page(pageId: "p1") { audiences(first: 50) { nodes { audienceId } } } }';
const ALL_IDS = [{ audienceId: 'a1' }, { audienceId: 'a2' }, { audienceId: 'a3' }];
const AN_AUDIENCE = '{ audience(pageId: "p1", audienceId: "a1") { effectiveName } }';

describe('a backend with only the routes of the API spec', () => {
  it('is detected by the first request, which gets a complete response', async () => {
    const world = await openSmallBackend(extendedRoutes);
    const upstream = startGateway(world);

    const first = await ask(upstream, AUDIENCES);

    expect(first).toEqual({ data: { page: { audiences: { nodes: ALL_IDS } } }, errors: [] });
    expect(world.calls).toEqual([
      'GET /v0/pages/p1/audiences?limit=50',
      // The check: the page exists, so its list would too.
      'GET /v0/pages/p1',
      'GET /v0/pages/p1/audiences?limit=1',
      // The response, by the document's routes.
      'GET /v0/pages/p1',
      'GET /v0/page_links?pageId=p1&limit=100',
    ]);
  });

  it('gets the same calls from the second request on as with UPSTREAM_ROUTES=document, for the same response', async () => {
    const world = await openSmallBackend(extendedRoutes);
    const upstream = startGateway(world);
    await ask(upstream, AUDIENCES);
    world.calls.length = 0;

    const second = await ask(upstream, AUDIENCES);
    const seen = world.calls.splice(0);
    const configured = await ask(startGateway(world, 'document'), AUDIENCES);

    expect(second).toEqual(configured);
    expect(seen).toEqual(world.calls);
  });

  it('serves an account and its persons by other routes, null for an unknown account, and no page search', async () => {
    const upstream = startGateway(await openSmallBackend(extendedRoutes));

    const answer = await ask(
      upstream,
      `{ account(accountId: "ac1") { name persons { nodes { name } } }
         nobody: account(accountId: "nope") { name }
         searchPages(query: "x") { name } }`,
    );

    expect(answer.data).toEqual({
      account: {
        name: 'Account ac1',
        persons: { nodes: [{ name: 'Person pe1' }, { name: 'Person pe2' }] },
      },
      nobody: null,
      searchPages: null,
    });
    expect(codes(answer)).toEqual(['UPSTREAM_UNSUPPORTED']);
  });

  it('yields errors that name the missing routes for more than the ids of an audience and of a log entry', async () => {
    const upstream = startGateway(await openSmallBackend(extendedRoutes));
    const log = formatNodeId('AccountLog', ['ac1', 'l1']);

    const answer = await ask(
      upstream,
      `{ audience(pageId: "p1", audienceId: "a1") { effectiveName }
         node(id: "${log}") { ... on AccountLog { type } } }`,
    );

    expect(answer.data).toEqual({ audience: null, node: null });
    // In either order, since either route may be detected first.
    const missing = answer.errors.map(
      ({ extensions }) => (extensions['upstream'] as { readonly route: string }).route,
    );
    expect(new Set(missing)).toEqual(new Set([routes.getAudience.path, routes.getAccountLog.path]));
    expect(missing).toHaveLength(2);
  });

  it('receives createAudience once, and the payload has the versions of the audience', async () => {
    const world = await openSmallBackend(extendedRoutes);

    const answer = await ask(
      startGateway(world),
      `mutation { createAudience(input: { pageId: "p1", publishBehavior: draft }) {
        audience { versions { nodes { versionNumber } } } } }`,
    );

    expect(answer.errors).toEqual([]);
    const { versions } = answer.data.createAudience.audience;
    expect(versions.nodes).toEqual([{ versionNumber: 2 }, { versionNumber: 1 }]);
    expect(world.calls.filter((call) => call.startsWith('POST'))).toHaveLength(1);
  });

  it.each([404, 405, 501])(
    'is detected by the first request, which gets a complete response, when it rejects routes with %i',
    async (refusal) => {
      const world = await openSmallBackend(extendedRoutes);
      world.refusal = refusal;

      const answer = await ask(startGateway(world), AUDIENCES);

      expect(answer).toEqual({ data: { page: { audiences: { nodes: ALL_IDS } } }, errors: [] });
    },
  );

  it('is detected by the first read of an audience whose links are all deleted, and the second read makes no call', async () => {
    const world = await openSmallBackend(extendedRoutes);
    world.linksAreDeleted = true;
    const upstream = startGateway(world);

    const first = await ask(upstream, AN_AUDIENCE);
    world.calls.length = 0;
    const second = await ask(upstream, AN_AUDIENCE);

    expect([codes(first), codes(second)]).toEqual([
      ['UPSTREAM_UNSUPPORTED'],
      ['UPSTREAM_UNSUPPORTED'],
    ]);
    expect(upstream.routes()['GET /v0/pages/{page_id}/audiences/{audience_id}']).toBe('missing');
    expect(world.calls).toEqual([]);
  });

  it('is reported as undecided once, for an audience of a page without links', async () => {
    const undecided: string[] = [];
    const world = await openSmallBackend(extendedRoutes);
    const upstream = startGateway(
      world,
      'auto',
      () => {},
      ({ path }) => undecided.push(path),
    );
    const source = '{ audience(pageId: "p2", audienceId: "a1") { effectiveName } }';

    await ask(upstream, source);
    await ask(upstream, source);

    expect(undecided).toEqual(['/v0/pages/{page_id}/audiences/{audience_id}']);
  });

  it('is detected to lack the page search when it takes "search" for the id of a page', async () => {
    const world = await openSmallBackend(extendedRoutes);
    world.takesAnyPage = true;
    const upstream = startGateway(world);

    const answer = await ask(upstream, '{ searchPages(query: "x") { name } }');

    expect(codes(answer)).toEqual(['UPSTREAM_UNSUPPORTED']);
    expect(upstream.routes()['GET /v0/pages/search']).toBe('missing');
  });

  it('is reported once for each missing route', async () => {
    const world = await openSmallBackend(extendedRoutes);
    const reported: string[] = [];
    const upstream = startGateway(world, 'auto', ({ path }) => reported.push(path));

    for (let i = 0; i < 3; i++) {
      await ask(upstream, AUDIENCES);
      await ask(upstream, '{ searchPages { name } }');
    }

    expect(reported).toEqual([routes.listAudiences.path, routes.searchPages.path]);
    expect(upstream.routes()).toEqual({
      'GET /v0/pages/search': 'missing',
      'GET /v0/pages/{page_id}/audiences': 'missing',
      'GET /v0/pages/{page_id}/audiences/{audience_id}': 'unknown',
      'GET /v0/pages/{page_id}/audiences/{audience_id}/versions': 'unknown',
      'GET /v0/accounts/{account_id}': 'unknown',
      'GET /v0/accounts/{account_id}/logs/{account_log_id}': 'unknown',
    });
  });

  it('is planned with a missing route until the gap is detected, and without the route afterwards', async () => {
    const upstream = startGateway(await openSmallBackend(extendedRoutes));
    const plan = () =>
      planFor(
        { schema, document: parse(AUDIENCES), variableValues: {} },
        createContext(upstream(scopeOf({ apiKey: 'demo' })), { apiKey: 'demo' }),
      );

    const before = plan();
    await ask(upstream, AUDIENCES);
    const after = plan();

    expect(before?.missing).toBeUndefined();
    expect(before?.routes.map(({ route }) => route)).toEqual([routes.listAudiences.path]);
    expect(after?.missing).toEqual([`GET ${routes.listAudiences.path}`]);
    expect(after?.routes.map(({ route }) => route)).toContain(routes.listPageLinks.path);
    expect(after?.routes.map(({ route }) => route)).not.toContain(routes.listAudiences.path);
  });

  it('is checked once for concurrent requests of two keys', async () => {
    const world = await openSmallBackend(extendedRoutes);
    world.latencyMs = 20;
    const upstream = startGateway(world);

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ask(upstream, AUDIENCES, {}, { apiKey: i % 2 ? 'demo' : 'other' }),
      ),
    );

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]!.data.page.audiences.nodes).toEqual(ALL_IDS);
    const looks = world.calls.filter((call) => call === 'GET /v0/pages/p1/audiences?limit=1');
    expect(looks).toHaveLength(1);
  });

  it('is checked with the caller’s key', async () => {
    const world = await openSmallBackend(extendedRoutes);

    await ask(startGateway(world), '{ searchPages { name } }', {}, { apiKey: 'of-the-caller' });

    expect(world.calls).toHaveLength(2);
    expect(new Set(world.keys)).toEqual(new Set(['of-the-caller']));
  });

  it('is checked with calls from the budget of the request that needs it', async () => {
    const world = await openSmallBackend(extendedRoutes);
    const upstream = startGateway(world);

    const short = await ask(upstream, AN_AUDIENCE, {}, { maxCalls: 1 });
    const calls = world.calls.splice(0);
    const long = await ask(upstream, AN_AUDIENCE, {}, { maxCalls: 10 });

    expect(calls).toHaveLength(1);
    expect(codes(short)).toEqual(['UPSTREAM_BUDGET_EXCEEDED']);
    expect(codes(long)).toEqual(['UPSTREAM_UNSUPPORTED']);
  });

  it('does not delay a request past its deadline while another request checks the routes', async () => {
    const world = await openSmallBackend(extendedRoutes);
    const upstream = startGateway(world);
    world.latencyMs = 250;
    const ended: string[] = [];
    const patient = ask(upstream, AN_AUDIENCE).finally(() => ended.push('patient'));
    const deadlineMs = performance.now() + 400;

    const hurried = await ask(upstream, AN_AUDIENCE, {}, { deadlineMs });
    ended.push('hurried');

    expect(codes(hurried)).toEqual(['UPSTREAM_TIMEOUT']);
    expect(codes(await patient)).toEqual(['UPSTREAM_UNSUPPORTED']);
    expect(ended).toEqual(['hurried', 'patient']);
  });

  it('continues a list with a cursor of a process that has UPSTREAM_ROUTES=document', async () => {
    const world = await openSmallBackend(extendedRoutes);
    const page = `query Page($after: String) { page(pageId: "p1") {
      audiences(first: 2, after: $after) { nodes { audienceId } pageInfo { endCursor } } } }`;
    const begun = await ask(startGateway(world, 'document'), page);
    const after = begun.data.page.audiences.pageInfo.endCursor;

    const rest = await ask(startGateway(world), page, { after });

    expect(rest.errors).toEqual([]);
    expect(rest.data.page.audiences.nodes).toEqual([{ audienceId: 'a3' }]);
  });
});

describe('a backend with all routes', () => {
  const MISSING_OBJECTS = `{
    page(pageId: "nope") { audiences { nodes { audienceId } } }
    audience(pageId: "p1", audienceId: "nope") { effectiveName }
    unlinked: audience(pageId: "p2", audienceId: "nope") { effectiveName }
    account(accountId: "nope") { name }
    node(id: "${formatNodeId('AccountLog', ['ac2', 'nope'])}") { id ... on AccountLog { type } }
  }`;

  it('returns null without an error for missing objects from the first request on', async () => {
    const upstream = startGateway(await openSmallBackend());

    const { data, errors } = await ask(upstream, MISSING_OBJECTS);

    expect(errors).toEqual([]);
    expect(Object.values(data as object)).toEqual([null, null, null, null, null]);
    expect(Object.values(upstream.routes())).not.toContain('missing');
  });

  it('is not checked for a missing object once the route has responded', async () => {
    const world = await openSmallBackend();
    const upstream = startGateway(world);
    await ask(upstream, AN_AUDIENCE);
    const answered = world.calls.splice(0);
    const missing = AN_AUDIENCE.replace('a1', 'nope');

    const { data, errors } = await ask(upstream, missing);

    expect(answered).toEqual(['GET /v0/pages/p1/audiences/a1']);
    expect({ data, errors }).toEqual({ data: { audience: null }, errors: [] });
    expect(world.calls).toEqual(['GET /v0/pages/p1/audiences/nope']);
  });
});

it('a rejected route that cannot be checked stays unknown, and is not reported as missing', async () => {
  const world = await openSmallBackend([routes.getAudience, routes.listAudiences]);
  const reported: string[] = [];
  const upstream = startGateway(world, 'auto', ({ path }) => reported.push(path));

  // Page p2 has no audience by which the route could be tried.
  const answer = await ask(upstream, AN_AUDIENCE.replace('p1', 'p2'));

  expect(codes(answer)).toEqual(['UPSTREAM_UNSUPPORTED']);
  expect(reported).not.toContain(routes.getAudience.path);
  expect(upstream.routes()[`GET ${routes.getAudience.path}`]).toBe('unknown');
});

/** A gateway whose clock is staged, and what it has reported. */
async function startStaged(missing: Iterable<Route>) {
  const world = await openSmallBackend(missing);
  const clock = new FakeClock();
  const reported: string[] = [];
  const report = (what: string) => (route: { readonly path: string }) =>
    void reported.push(`${what} ${route.path}`);
  const upstream = startGateway(world, 'auto', undefined, undefined, {
    clock,
    observer: {
      onMissingRoute: report('missing'),
      onFoundRoute: report('found'),
      onUndecidedRoute: report('undecided'),
    },
  });
  const askNow = async (source: string) => {
    world.calls.length = 0;
    return ask(upstream, source, {}, { deadlineMs: clock.now() + 10_000 });
  };
  return { world, clock, reported, upstream, ask: askNow };
}

/** A query for each optional route, and its path. */
const NEEDS: readonly (readonly [route: Route, source: string])[] = [
  [routes.listAudiences, AUDIENCES],
  [routes.searchPages, '{ searchPages(query: "x") { name } }'],
  [routes.getAudience, AN_AUDIENCE],
  [
    routes.listVersions,
    '{ audience(pageId: "p1", audienceId: "a1") { versions { nodes { versionNumber } } } }',
  ],
  [routes.getAccount, '{ account(accountId: "ac1") { persons { nodes { name } } } }'],
  [
    routes.getAccountLog,
    `{ node(id: "${formatNodeId('AccountLog', ['ac1', 'l1'])}") { ... on AccountLog { type } } }`,
  ],
];

describe('a rejection without the documented error', () => {
  it.each(NEEDS)(
    'fails the fields that need the route, and the next operation requests it again: %#',
    async (route, source) => {
      const { world, ask, upstream, reported } = await startStaged([route]);
      world.refusesInHtml = true;
      const refused = await ask(source);
      world.missing = new Set();

      const answered = await ask(source);

      expect(codes(refused)).toEqual(['UPSTREAM_INVALID_RESPONSE']);
      expect(answered.errors).toEqual([]);
      expect(JSON.stringify(answered.data)).not.toContain('null');
      expect(upstream.routes()[`GET ${route.path}`]).toBe('there');
      expect(reported).toEqual([`undecided ${route.path}`]);
    },
  );

  it.each(NEEDS)(
    'marks the route as missing after a minute without any other response: %#',
    async (route, source) => {
      const { world, clock, ask, upstream } = await startStaged([route]);
      world.refusesInHtml = true;

      await ask(source);
      clock.pass(59_999);
      const early = await ask(source);
      clock.pass(1);
      const late = await ask(source);

      expect(codes(early)).toEqual(['UPSTREAM_INVALID_RESPONSE']);
      expect(codes(late)).not.toContain('UPSTREAM_INVALID_RESPONSE');
      expect(upstream.routes()[`GET ${route.path}`]).toBe('missing');
    },
  );

  it('decides nothing when the route has responded in the meantime', async () => {
    const { world, clock, ask, upstream } = await startStaged([routes.listAudiences]);
    world.refusesInHtml = true;
    await ask(AUDIENCES);
    clock.pass(50_000);
    world.missing = new Set();
    await ask(AUDIENCES);
    clock.pass(60_000);
    world.missing = new Set([routes.listAudiences]);

    const { data, errors } = await ask(AUDIENCES);

    expect(data).toEqual({ page: { audiences: null } });
    expect(errors).toHaveLength(1);
    expect(upstream.routes()[`GET ${routes.listAudiences.path}`]).toBe('there');
  });

  it('fails an object with an error instead of returning null when it is in HTML', async () => {
    const { world, ask } = await startStaged([routes.getPage]);
    world.refusesInHtml = true;

    const { data, errors } = await ask('{ page(pageId: "p1") { name } }');

    expect(data).toEqual({ page: null });
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['NOT_FOUND']);
  });
});

describe('a decision about a route', () => {
  const ROUTE = `GET ${routes.listAudiences.path}`;
  const whole = { data: { page: { audiences: { nodes: ALL_IDS } } }, errors: [] };

  it('is reviewed after a minute, and an added route is used', async () => {
    const { world, clock, ask, upstream, reported } = await startStaged([routes.listAudiences]);
    await ask(AUDIENCES);
    world.missing = new Set();
    clock.pass(59_999);
    const before = await ask(AUDIENCES);
    expect(world.calls).not.toContain('GET /v0/pages/p1/audiences?limit=50');
    clock.pass(1);

    const after = await ask(AUDIENCES);

    expect([before, after]).toEqual([whole, whole]);
    expect(world.calls).toEqual(['GET /v0/pages/p1/audiences?limit=50']);
    expect(upstream.routes()[ROUTE]).toBe('there');
    expect(reported).toEqual(
      ['missing', 'found'].map((what) => `${what} ${routes.listAudiences.path}`),
    );
  });

  it.each([false, true])(
    'is reviewed after 1, 2, 4, 8 and then every 16 minutes while the route is missing; in HTML: %j',
    async (refusesInHtml) => {
      const { world, clock, ask, upstream, reported } = await startStaged([routes.listAudiences]);
      await ask(AUDIENCES);
      world.refusesInHtml = refusesInHtml;
      const tried: number[] = [];

      for (let minute = 1; minute <= 64; minute++) {
        clock.pass(60_000);
        const answer = await ask(AUDIENCES);
        expect(answer).toEqual(whole);
        if (world.calls[0] === 'GET /v0/pages/p1/audiences?limit=50') tried.push(minute);
      }

      expect(tried).toEqual([1, 3, 7, 15, 31, 47, 63]);
      expect(upstream.routes()[ROUTE]).toBe('missing');
      expect(reported).toEqual([`missing ${routes.listAudiences.path}`]);
    },
  );

  it('is reviewed when an existing route is rejected a minute after its last success', async () => {
    const { world, clock, ask, upstream, reported } = await startStaged([]);
    await ask(AUDIENCES);
    clock.pass(60_000);
    world.missing = new Set([routes.listAudiences]);

    const answer = await ask(AUDIENCES);

    expect(answer).toEqual(whole);
    expect(upstream.routes()[ROUTE]).toBe('missing');
    expect(reported).toEqual([`missing ${routes.listAudiences.path}`]);
  });

  it('is not reviewed when it is configured', async () => {
    const { world, clock } = await startStaged([]);
    const upstream = startGateway(world, 'document', undefined, undefined, { clock });

    clock.pass(3_600_000);
    const answer = await ask(upstream, AUDIENCES, {}, { deadlineMs: clock.now() + 10_000 });

    expect(answer).toEqual(whole);
    expect(world.calls).not.toContain('GET /v0/pages/p1/audiences?limit=50');
  });
});

describe('with any of the optional routes missing', () => {
  it.each(DOCUMENTS)(
    'each difference between the response to %s and its response with all routes has an error',
    async (_name, document, variables) => {
      const world = await openSmallBackend();
      const full = await ask(startGateway(world, 'extended'), document, variables);
      expect(full.errors).toEqual([]);

      for (const missing of SUBSETS) {
        world.missing = new Set(missing);
        const upstream = startGateway(world);
        const about = missing.map(({ path }) => path).join(' ');

        const first = await ask(upstream, document, variables);
        const second = await ask(upstream, document, variables);

        expect(unexplained(first, full), `first: ${about}`).toEqual([]);
        expect(unexplained(second, full), `second: ${about}`).toEqual([]);
      }
    },
  );

  it('each difference between the response to a random query and its response with all routes has an error', async () => {
    const world = await openSmallBackend();
    const extended = startGateway(world, 'extended');

    for (let seed = 1; seed <= cases(200); seed++) {
      const { source, variables } = randomQuery(seed, { schema, values: VALUES, depth: 6 });
      const random = randomFrom(seed);
      world.missing = new Set();
      const full = await ask(extended, source, variables);
      world.missing = new Set(extendedRoutes.filter(() => random() < 0.5));
      world.refusal = [404, 405, 501][seed % 3]!;
      const about = `seed ${seed}, ${world.refusal} ${[...world.missing].map(({ path }) => path).join(' ')}: ${source} ${JSON.stringify(variables)}`;
      const upstream = startGateway(world);

      const first = await ask(upstream, source, variables);
      const second = await ask(upstream, source, variables);

      expect(unexplained(first, full), `first, ${about}`).toEqual([]);
      expect(unexplained(second, full), `second, ${about}`).toEqual([]);
    }
  });
});
