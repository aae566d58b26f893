/** Requests as code for clients. */
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { CASES, copyOf, REQUESTS } from './copied.ts';

it.each(CASES)('%s, a %s: has the document, and no key', (client, _kind, request) => {
  const text = copyOf(client, request);

  expect(text).toContain(
    client === 'curl' ? '$API_KEY' : request.document.slice(-20).trim().slice(-8),
  );
  expect(text).not.toContain('x-explain');
});

describe('Relay', () => {
  it.each([
    ['TopicListQuery', 'query TopicListQuery { topics { totalCount } }'],
    ['TopicListQuery', 'query TopicList { topics { totalCount } }'],
    ['OperationQuery', '{ topics { totalCount } }'],
    ['OperationQuery', 'query ($first: Int) { topics(first: $first) { totalCount } }'],
    ['SaveMutation', 'mutation Save { __typename }'],
  ])('gets the name %s for %s', (name, document) => {
    const text = copyOf('Relay', { ...REQUESTS.query, document });
    const [, tagged] = /graphql`\n([^`]*)\n`/.exec(text)!;

    expect(parse(tagged!).definitions[0]).toMatchObject({ name: { value: name } });
  });
});

it('leaves the values of headers to the shell, and quotes what a shell would read', () => {
  const text = copyOf('curl', {
    ...REQUESTS.mutation,
    variables: { input: { id: "it's" } },
  });

  expect(text).toContain(`-H "x-team: $X_TEAM"`);
  expect(text).toContain(String.raw`it'\''s`);
});
