/** Functions of the page that read messages, events and rounds. */
import { describe, expect, it, vi } from 'vitest';
import { harFaults } from '../browser/har.ts';

vi.stubGlobal('location', { origin: 'http://127.0.0.1:4000', pathname: '/graphql' });
const { suggestionsIn } = await import('../../src/explorer/page/quick-fix.ts');
const { changesBetween } = await import('../../src/explorer/waterfall/event-changes.ts');
const { linkTo, savedDocuments, takeLink, wouldReplace } =
  await import('../../src/explorer/documents/stored-documents.ts');
const { harOf } = await import('../../src/explorer/waterfall/har.ts');
const { labelsOf } = await import('../../src/explorer/waterfall/rows.ts');

it.each([
  [
    'Cannot query field "totalCuont" on type "TopicConnection". Did you mean "totalCount"?',
    ['totalCount'],
  ],
  ['Cannot query field "nam" on type "Page". Did you mean "name" or "id"?', ['name', 'id']],
  ['Value "DRAF" does not exist in "X" enum. Did you mean the enum value "DRAFT"?', ['DRAFT']],
  [
    'Cannot query field "x" on type "Node". Did you mean to use an inline fragment on "Page" or "Topic"?',
    [],
  ],
  ['Cannot query field "x" on type "Page".', []],
])('suggestionsIn finds the suggested names of a message: %s', (message, names) => {
  expect(suggestionsIn(message)).toEqual(names);
});

describe('changesBetween', () => {
  it('lists each leaf that was changed, added or removed', () => {
    const before = { data: { v: { status: 'draft', at: null, list: [1, 2], gone: 1, same: {} } } };
    const after = {
      data: { v: { status: 'queued', at: 'now', list: [1, 3], came: true, same: {} } },
    };

    expect(changesBetween(before, after)).toEqual([
      { path: 'v.status', before: '"draft"', after: '"queued"' },
      { path: 'v.at', before: 'null', after: '"now"' },
      { path: 'v.list.1', before: '2', after: '3' },
      { path: 'v.came', before: undefined, after: 'true' },
      { path: 'v.gone', before: '1', after: undefined },
    ]);
  });

  it('lists nothing for an event that repeats the previous one', () => {
    expect(changesBetween({ data: { a: 1 } }, { data: { a: 1 } })).toEqual([]);
  });
});

it('labelsOf omits the number of a round trip that would overlap the previous number', () => {
  const rounds = [
    { startMs: 0, endMs: 10 },
    { startMs: 11, endMs: 12 },
    { startMs: 13, endMs: 14 },
    { startMs: 50, endMs: 100 },
  ];

  expect(labelsOf(rounds, 100)).toEqual([1, undefined, 3, 4]);
  expect(labelsOf([], 0)).toEqual([]);
});

it('wouldReplace finds a saved document of the same name with another query string or other variables', () => {
  const one = { name: 'Mine', document: '{ a }', variables: '' };
  savedDocuments.save(one);

  expect(wouldReplace(one)).toBe(false);
  expect(wouldReplace({ ...one, document: '{ b }' })).toBe(true);
  expect(wouldReplace({ ...one, variables: '{"c":1}' })).toBe(true);
  expect(wouldReplace({ ...one, name: 'Other', document: '{ b }' })).toBe(false);
});

it('linkTo makes a link of a document with variables of 200,000 characters', () => {
  const document = { query: '{ topics { totalCount } }', variables: 'ü'.repeat(200_000) };

  const [, link = ''] = linkTo(document).split('#document=');

  const text = Buffer.from(decodeURIComponent(link), 'base64').toString();
  expect(JSON.parse(text)).toEqual(document);
});

it.each([
  ['{"query":"{ a }"}', { query: '{ a }', variables: '' }],
  ['{"query":"{ a }","variables":{"b":1}}', undefined],
  ['{"query":5}', undefined],
  ['null', undefined],
  ['{', undefined],
])('takeLink accepts only strings from an untrusted link: %s', (json, document) => {
  vi.stubGlobal('history', { replaceState: () => {} });
  vi.stubGlobal('location', { hash: `#document=${encodeURIComponent(btoa(json))}` });

  expect(takeLink()).toEqual(document);
});

it('harOf contains the field of each call, and marks unused prefetches', () => {
  const call = { method: 'GET', route: '/v0/persons/{person_id}', startMs: 1, durationMs: 2 };
  const sent = { ...call, status: 200, attempt: 1, source: 'sent' };
  const journal = [
    { ...sent, path: ['page', 'audiences', 0, 'person'] },
    { ...sent, path: ['page', 'audiences', 1, 'person'], ahead: 'used' },
    { ...sent, path: [], ahead: 'unused' },
  ];
  const har = harOf({
    ...{ request: { query: '{ a }' }, requestHeaders: [], headers: [] },
    ...{ startedAtMs: 0, durationMs: 3, status: 200, body: '{}', bodyBytes: 2, results: 1 },
    ...{ timing: undefined, failure: undefined, stream: undefined },
    result: { extensions: { upstream: { calls: 3, rounds: 1, backendMs: 2, journal } } },
  });

  const [, ...calls] = (har as { log: { entries: readonly { comment?: string }[] } }).log.entries;
  expect(harFaults(har)).toEqual([]);
  expect(calls.map(({ comment }) => comment)).toEqual([
    'sent, attempt 1, field page.audiences.0.person',
    'ahead, attempt 1, field page.audiences.1.person',
    'prefetched, unused',
  ]);
});
