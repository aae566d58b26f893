/** Requests as code for clients. */
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { CASES, copyOf, REQUESTS } from './copied.ts';

it.each(CASES)(
  'the code for %s of a %s has the end of the document, or $API_KEY for curl, and no x-explain',
  (client, _kind, request) => {
    const text = copyOf(client, request);

    expect(text).toContain(
      client === 'curl' ? '$API_KEY' : request.document.slice(-20).trim().slice(-8),
    );
    expect(text).not.toContain('x-explain');
  },
);

describe('the code for Relay', () => {
  it.each([
    ['TopicListQuery', 'query TopicListQuery { topics { totalCount } }'],
    ['TopicListQuery', 'query TopicList { topics { totalCount } }'],
    ['OperationQuery', '{ topics { totalCount } }'],
    ['OperationQuery', 'query ($first: Int) { topics(first: $first) { totalCount } }'],
    ['SaveMutation', 'mutation Save { __typename }'],
  ])('has the operation name %s for %s', (name, document) => {
    const text = copyOf('Relay', { ...REQUESTS.query, document });
    const [, tagged] = /graphql`\n([^`]*)\n`/.exec(text)!;

    expect(parse(tagged!).definitions[0]).toMatchObject({ name: { value: name } });
  });
});

it('the code for curl takes header values from variables of the shell, and escapes quotes', () => {
  const text = copyOf('curl', {
    ...REQUESTS.mutation,
    variables: { input: { id: "it's" } },
  });

  expect(text).toContain(`-H "x-team: $X_TEAM"`);
  expect(text).toContain(String.raw`it'\''s`);
});
