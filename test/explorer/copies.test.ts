/** Requests as code for clients. */
import { Kind, parse, print, visit, type DocumentNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { CASES, copyOf, REQUESTS } from './sample-requests.ts';

const SEVERAL = 'document with several operations';

it.each(
  CASES.filter(
    ([client, kind]) =>
      client !== 'Relay' && (kind !== SEVERAL || ['curl', 'fetch'].includes(client)),
  ),
)('the code for %s of a %s has the whole document', (client, _kind, request) => {
  expect(documentIn(copyOf(client, request)).trim()).toBe(request.document.trim());
});

it.each(CASES)('the code for %s of a %s has no x-explain', (client, _kind, request) => {
  expect(copyOf(client, request)).not.toContain('x-explain');
});

it.each(['Apollo Client', 'urql'])(
  'the code for %s of a document with several operations contains the chosen operation and its fragments',
  (client) => {
    const document = parse(documentIn(copyOf(client, REQUESTS[SEVERAL])));

    expect(namesIn(document)).toEqual(['TopicList', 'Shared', 'Nested']);
  },
);

describe('the code for Relay', () => {
  it('has a tag for the chosen operation and one for each of its fragments, with names of the module', () => {
    const text = copyOf('Relay', REQUESTS[SEVERAL]);

    const tags = [...text.matchAll(/graphql`\n([^`]*)\n`/g)].map(([, tag = '']) => parse(tag));
    expect(tags.map(namesIn)).toEqual([
      ['TopicList_Shared'],
      ['TopicList_Nested'],
      ['TopicListQuery'],
    ]);
    const [{ definitions }] = tags as [DocumentNode];
    expect(print(definitions[0]!)).toContain('...TopicList_Nested');
  });

  it.each([
    ['TopicListQuery', 'query TopicListQuery { topics { totalCount } }'],
    ['TopicListQuery', 'query TopicList { topics { totalCount } }'],
    ['OperationQuery', '{ topics { totalCount } }'],
    ['OperationQuery', 'query ($first: Int) { topics(first: $first) { totalCount } }'],
    ['SaveMutation', 'mutation Save { __typename }'],
  ])('has the operation name %s for %s', (name, document) => {
    const text = copyOf('Relay', { ...REQUESTS.query, document });

    expect(parse(documentIn(text)).definitions[0]).toMatchObject({ name: { value: name } });
  });

  it.each(Object.entries(REQUESTS).filter(([kind]) => kind !== SEVERAL))(
    'has the whole document of a %s except for the operation name',
    (_kind, request) => {
      expect(unnamed(documentIn(copyOf('Relay', request)))).toBe(unnamed(request.document));
    },
  );
});

it('the code for curl takes header values from variables of the shell, and escapes quotes', () => {
  const text = copyOf('curl', {
    ...REQUESTS.mutation,
    variables: { input: { id: "it's" } },
  });

  expect(text).toContain(`-H "x-api-key: $API_KEY"`);
  expect(text).toContain(`-H "x-team: $X_TEAM"`);
  expect(text).toContain(String.raw`it'\''s`);
});

/** The document in the code for a client: of a template literal, or of curl's JSON. */
function documentIn(text: string): string {
  const [, json] = /-d '([^]*)'$/.exec(text) ?? [];
  if (json !== undefined) {
    const { query } = JSON.parse(json.replaceAll(String.raw`'\''`, "'")) as { query: string };
    return query;
  }
  const [, written = ''] = /`\n((?:[^`\\]|\\.)*)\n`/.exec(text) ?? [];
  return written.replace(/\\(.)/g, '$1');
}

/** A document without the names of its operations, formatted. */
const unnamed = (document: string): string =>
  print(
    visit(parse(document), {
      [Kind.OPERATION_DEFINITION]: (node) => ({ ...node, name: undefined }),
    }),
  );

const namesIn = ({ definitions }: DocumentNode) =>
  definitions.map((node) => ('name' in node ? node.name?.value : undefined));
