/**
 * The hot pieces, each alone: what a request does once, times the calls and edges it has.
 *
 * Run by `npm run bench:micro` before and after a change to one of them. There are no limits in
 * here: a shared machine would break them at random.
 */
import { buildSchema, execute as graphqlJs, parse } from 'graphql';
import { bench, describe } from 'vitest';
import { createExecute } from '../../src/execution/execute.ts';
import { formatCursor, parseCursor } from '../../src/graph/types/cursor.ts';
import { Loader } from '../../src/graph/loading/loader.ts';
import { formatNodeId, parseNodeId } from '../../src/graph/types/node-id.ts';
import { createUpstream } from '../../src/rest/client/client.ts';
import { fillPath, formatQuery } from '../../src/rest/client/path.ts';
import { Metrics } from '../../src/gateway/observe/metrics/metrics.ts';
import { routes } from '../../src/v0/routes.ts';
import { makeAnswers } from './data.ts';
import { instantDispatcher } from './instant-dispatcher.ts';
import { scopeOf } from '../support/settings.ts';

const answers = makeAnswers();
const toPersons = upstreamOf(answers.get('/v0/persons/person_0001')!);
const audiences = answers.get('/v0/pages/page_0001/audiences')!;
const toAudiences = upstreamOf(audiences);
const toChangingAudiences = upstreamOf(audiences, `${audiences} `);
/** Of requests that last as long as the benchmark does. */
const scope = scopeOf({ apiKey: 'caller', deadlineMs: performance.now() + 3_600_000 });

const LIST_ID = JSON.stringify([routes.listAudiences.path, { page_id: 'page_0001' }, null]);
const CURSOR = formatCursor(LIST_ID, '7');
const VERSION_PARTS = ['page_0001', 'audience_0001_0001', 'version_0001_0001_1'];
const VERSION_ID = formatNodeId('AudienceVersion', VERSION_PARTS);

describe('cursor', () => {
  bench('format', () => {
    formatCursor(LIST_ID, '7');
  });
  bench('parse', () => {
    parseCursor(LIST_ID, CURSOR, 'after');
  });
});

describe('global id', () => {
  bench('format', () => {
    formatNodeId('AudienceVersion', VERSION_PARTS);
  });
  bench('parse', () => {
    parseNodeId(VERSION_ID);
  });
});

describe('path', () => {
  bench('fill a path with one parameter', () => {
    fillPath(routes.getPerson, { person_id: 'person_0001' });
  });
  bench('fill a path with three parameters', () => {
    fillPath(routes.getVersion, {
      page_id: VERSION_PARTS[0]!,
      audience_id: VERSION_PARTS[1]!,
      version_id: VERSION_PARTS[2]!,
    });
  });
  bench('format a query', () => {
    formatQuery({ cursor: 'after_0001', limit: 20 });
  });
});

describe('client, without a socket', () => {
  const input = { path: { person_id: 'person_0001' } };
  let mark = 0;

  bench('one client, no call', () => {
    toPersons(scope);
  });
  bench('one call of a person, alone', async () => {
    await toPersons(scope).call(routes.getPerson, input);
  });
  bench('twelve calls side by side', async () => {
    // A client of their own, as every request has; no two alike, or they would be shared.
    const own = toPersons(scope);
    await Promise.all(
      Array.from({ length: 12 }, () =>
        own.call(routes.getPerson, { path: { person_id: `person_${mark++ % 1_000}` } }),
      ),
    );
  });
  bench('one call of 20 audiences (32 kB), unchanged', async () => {
    await toAudiences(scope).call(routes.listAudiences, { path: { page_id: 'page_0001' } });
  });
  bench('one call of 20 audiences, other bytes each time', async () => {
    await toChangingAudiences(scope).call(routes.listAudiences, { path: { page_id: 'page_0001' } });
  });
});

describe('loader', () => {
  const keys = Array.from({ length: 20 }, (_, i) => ({ personId: `person_${i % 10}` }));

  bench('20 asks for 10 keys, a new loader', async () => {
    const loader = newLoader();
    await Promise.all(keys.map((key) => loader.load(key)));
  });
  bench('one ask for what is there', async () => {
    await KNOWN.load({ personId: 'known' });
  });
});

describe('executor', () => {
  const document = parse('{ persons { id name email address { street } links { url } } }');
  const unlimited = { maxValues: Infinity, maxTextBytes: Infinity, deadlineMs: Infinity };
  const options = { limits: () => ({ ...unlimited, maxErrors: () => 100 }) };
  const execute = createExecute(options);

  bench('100 objects, 800 leaves, of a prepared document', () => {
    void execute({ schema: SMALL_SCHEMA, document, rootValue: {} });
  });
  bench('the same, of a new document', () => {
    void createExecute(options)({ schema: SMALL_SCHEMA, document, rootValue: {} });
  });
  bench('the same, by graphql-js', () => {
    void graphqlJs({ schema: SMALL_SCHEMA, document, rootValue: {} });
  });
});

const SMALL_SCHEMA = smallSchema();

function smallSchema() {
  const schema = buildSchema(`
    type Query { persons: [Person!] }
    type Person { id: ID! name: String email: String address: Address links: [Link!] }
    type Address { street: String }
    type Link { url: String }
  `);
  const persons = Array.from({ length: 100 }, (_, i) => ({
    id: `person_${i}`,
    name: `Robin ${i}`,
    email: `robin.${i}@example.com`,
    address: { street: `Street ${i}` },
    links: Array.from({ length: 4 }, (_, link) => ({ url: `https://example.com/${i}/${link}` })),
  }));
  schema.getQueryType()!.getFields()['persons']!.resolve = () => persons;
  return schema;
}

const KNOWN = newLoader();

function newLoader(): Loader<{ personId: string }, string> {
  const idOf = ({ personId }: { personId: string }): string => personId;
  return new Loader((key) => Promise.resolve(idOf(key)), { idOf });
}

function upstreamOf(...bodies: readonly string[]): ReturnType<typeof createUpstream> {
  return createUpstream({
    dispatcher: instantDispatcher(...bodies),
    pathPrefix: '',
    routeSet: 'extended',
    timeoutMs: 3_000,
    observer: new Metrics().observer,
  });
}
