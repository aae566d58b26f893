/** Departures of a backend from the REST document, one kind in each case, as operators see them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { walkAnswer } from '../../../src/extensions/drift/violations.ts';
import { open } from '../../../src/extensions/drift/drift.extension.ts';
import { Drift } from '../../../src/extensions/drift/drift.ts';
import type { RestResponse } from '../../../src/rest/call/call.ts';
import { openHttpServer } from '../../../src/gateway/http/http-server.ts';
import { silentLogger } from '../../../src/gateway/observe/logs/logger.ts';
import { Metrics } from '../../../src/gateway/observe/metrics/metrics.ts';
import { routes, type Route } from '../../../src/v0/routes.ts';
import { openFolder } from '../../support/folder.ts';
import { afterFile } from '../../support/after-file.ts';
import { send } from '../../support/client.ts';
import { ok, status } from '../../support/faults.ts';
import { openGateway } from '../../support/open-gateway.ts';
import { sampleOf } from '../../support/sample-answers.ts';
import { DEFAULTS } from '../../support/settings.ts';

const SCREEN = 'query Screen($id: ID!) { page(pageId: $id) { name pageType } }';
const OTHER = 'query Other { topics(first: 1) { nodes { title } } }';

type Page = Record<string, unknown>;
const page = (): Page => sampleOf(routes.getPage, { page_id: 'p1' }) as Page;

/** A gateway's options with the extension, and the metrics that it counts in. */
async function withDrift() {
  const metrics = new Metrics();
  const drift = await open(
    {},
    {
      metrics,
      logger: silentLogger(),
      version: 'test',
      opened: [],
      backend: () => Promise.reject(new Error('It does not ask for the backend')),
    },
  );
  return { metrics, extensions: [drift] };
}

/** A gateway in front of a backend whose page a case has changed. */
async function openSeeded(change: (page: Page) => unknown) {
  const folder = openFolder({ 'ios-4.2.json': { screen: SCREEN, other: OTHER } });
  const site = await openGateway({
    backend: 'faulty',
    documents: { folder },
    http: { adminPort: 0 },
    ...(await withDrift()),
  });
  await site.gateway.open();
  onTestFinished(() => site.gateway.close());
  const admin = await openHttpServer(site.gateway.admin, { ...DEFAULTS.http, port: 0 });
  afterFile(() => admin.close(0));
  site.upstream.on('GET /v0/pages/p1', ok(change(page())));
  const drift = async () => (await send(`${admin.url}/drift`)).body;
  const metric = async () => (await send(`${admin.url}/metrics`)).text;
  return Object.assign(site, { drift, metric });
}

const ask = (site: Awaited<ReturnType<typeof openSeeded>>) =>
  site.ask(SCREEN, { variables: { id: 'p1' } });

const OF_SCREEN = [
  {
    document: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    operation: 'Screen',
    apps: [{ app: 'ios', version: '4.2' }],
  },
];

describe('/drift', () => {
  it.each([
    [
      ...['new_field', 'colour', [], []],
      (one: Page) => ({ ...one, colour: 'secret-red' }),
    ] as const,
    [
      ...['missing_field', 'name', ['Page.name'], OF_SCREEN],
      ({ name: _name, ...rest }: Page) => rest,
    ] as const,
    [
      ...['other_type', 'name', ['Page.name'], OF_SCREEN],
      (one: Page) => ({ ...one, name: 7_777_777 }),
    ] as const,
    [
      ...['new_enum_value', 'pageType', ['Page.pageType'], OF_SCREEN],
      (one: Page) => ({ ...one, pageType: 'secret-type' }),
    ] as const,
  ])('reports a %s of one field, with the documents that select it', async (...given) => {
    const [kind, field, fields, documents, change] = given;
    const site = await openSeeded(change);

    await ask(site);

    const told = await site.drift();
    const route = 'GET /v0/pages/{page_id}';
    expect(told.departures).toEqual([
      {
        ...{ route, field, kind, count: 1, fields, documents },
        firstAt: expect.any(String) as unknown,
        lastAt: expect.any(String) as unknown,
      },
    ]);
    expect(told.answers).toEqual([{ route, answers: 1, looked: 1 }]);
    expect(JSON.stringify(told)).not.toMatch(/secret|7777777/);
    expect(await site.metric()).toContain(
      `gateway_drift_total{method="GET",route="/v0/pages/{page_id}",kind="${kind}"} 1`,
    );
  });

  it('names the documents that select the field on the type that the route serves', async () => {
    const folder = openFolder();
    const documents = {
      page: 'query OfPage { page(pageId: "p1") { pageType } }',
      hit: 'query OfHit { searchPages(query: "p") { pageType } }',
      log: 'query OfLog { account(accountId: "a1") { logs { nodes { ... on LogEntry { type } } } } }',
      account: 'query OfAccount { account(accountId: "a1") { name } }',
    };
    await writeFile(join(folder, 'ios-4.2.json'), JSON.stringify(documents));
    const options = await withDrift();
    const [drift] = options.extensions;
    const site = await openGateway({ ...options, documents: { folder }, http: { adminPort: 0 } });
    await site.gateway.open();
    onTestFinished(() => site.gateway.close());
    const admin = await openHttpServer(site.gateway.admin, { ...DEFAULTS.http, port: 0 });
    afterFile(() => admin.close(0));
    const namedFor = async (route: Route, change: (answer: any) => void) => {
      const value = structuredClone(sampleOf(route)) as any;
      change(value);
      const body = Buffer.from(JSON.stringify(value));
      drift!.calls!.onAnswer!(route, { status: 200, headers: {}, body }, undefined);
      const { departures } = (await send(`${admin.url}/drift`)).body;
      const { fields, documents: named } = departures.at(-1);
      return [...fields, ...named.map(({ operation }: { operation: string }) => operation)];
    };

    expect(await namedFor(routes.getPage, (one) => (one.pageType = 7))).toEqual([
      ...['Page.pageType', 'OfPage'],
    ]);
    expect(await namedFor(routes.searchPages, ({ items }) => (items[0].pageType = 7))).toEqual([
      ...['PageSearchHit.pageType', 'OfHit'],
    ]);
    expect(await namedFor(routes.listAccountLogs, ({ items }) => (items[0].type = {}))).toEqual([
      ...['AccountLog.type', 'LogEntry.type', 'OfLog'],
    ]);
    expect(await namedFor(routes.getAccount, (one) => (one.name = 7))).toEqual([
      ...['Account.name', 'OfAccount'],
    ]);
  });

  it('reports a status that the REST document does not have', async () => {
    const site = await openSeeded((one) => one);
    site.upstream.on('GET /v0/pages/p1', status(418));

    await ask(site);

    expect((await site.drift()).departures).toMatchObject([
      { field: '418', kind: 'other_status', count: 1, fields: [], documents: [] },
    ]);
  });

  it('reports nothing for documented answers and documented errors', async () => {
    const site = await openSeeded((one) => one);
    await ask(site);
    site.upstream.on('GET /v0/pages/p1', status(403));
    await ask(site);

    expect((await site.drift()).departures).toEqual([]);
  });

  it('is not served at the port of callers', async () => {
    const site = await openSeeded((one) => one);

    expect((await site.get('/drift')).status).toBe(404);
  });
});

describe('the inspection of answers', () => {
  const answer = (value: unknown, code = 200): RestResponse => ({
    ...{ status: code, headers: {} },
    body: Buffer.from(JSON.stringify(value)),
  });
  const sound = (value: unknown) => ({ value, status: 200, sound: true });

  it('finds no violation in the sample answer of any route', () => {
    for (const route of Object.values<Route>(routes)) {
      const found: string[] = [];
      walkAnswer(route.response, sampleOf(route), {
        violation: (path, kind) => found.push(`${kind} ${path}`),
        seen: () => {},
      });
      expect(found, route.path).toEqual([]);
    }
  });

  it('covers the first answer of a route and each hundredth, and invalid ones once a second', () => {
    let nowMs = 0;
    const drift = new Drift({ now: () => nowMs });
    const one = { ...page(), colour: 'red' };
    for (let i = 0; i < 250; i++) drift.onAnswer(routes.getPage, answer(one), sound(one));
    const topic = { ...(sampleOf(routes.getTopic) as object), title: 7 };
    for (let i = 0; i < 50; i++) {
      nowMs += 100;
      drift.onAnswer(routes.getTopic, answer(topic), { ...sound(topic), sound: false });
    }

    const { answers, departures } = drift.report();

    expect(answers.map(({ looked }) => looked)).toEqual([3, 5]);
    expect(departures.map(({ field, count }) => [field, count])).toEqual([
      ['colour', 3],
      ['title', 5],
    ]);
  });

  it('reports a field without a value for a week, with the time of its last value', () => {
    const DAY_MS = 24 * 3_600 * 1_000;
    let nowMs = 0;
    const drift = new Drift({ now: () => nowMs });
    const person = sampleOf(routes.getPerson) as Record<string, unknown>;
    const [gone = ''] = Object.keys(person);
    drift.onAnswer(routes.getPerson, answer(person), sound(person));
    const without = { ...person, [gone]: null };
    for (let i = 1; i <= 100; i++) {
      nowMs = 6 * DAY_MS;
      drift.onAnswer(routes.getPerson, answer(without), sound(without));
    }
    expect(drift.report().unseen).toEqual([]);

    nowMs = 7 * DAY_MS;

    expect(drift.report().unseen).toEqual([
      { route: 'GET /v0/persons/{person_id}', field: gone, since: '1970-01-01T00:00:00.000Z' },
    ]);
  });

  it('keeps at most a hundred departures, and masks a field name that may be a value', () => {
    let nowMs = 0;
    const drift = new Drift({ now: () => nowMs });
    for (let i = 0; i < 500; i++) {
      const one = { ...page(), [`field${i}`]: 1, 'ada@example.com': 1 };
      nowMs += 1_000;
      drift.onAnswer(routes.getPage, answer(one), { ...sound(one), sound: false });
    }

    const { departures } = drift.report();

    expect(departures).toHaveLength(100);
    expect(departures.map(({ field }) => field)).toContain('*');
    expect(JSON.stringify(departures)).not.toContain('ada@');
  });
});
