/** The "+" of the documentation: where it inserts a field, with which variables and selections. */
import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  addField,
  addVariables,
  variablesToGive,
  type ParentType,
} from '../../src/explorer/page/add-field.ts';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));

/** @param text with a `|` where the cursor is. */
function add(path: string, text: string): string {
  const [type = '', field = ''] = path.split('.');
  const cursor = Math.max(0, text.indexOf('|'));
  const parent = schema.getType(type) as ParentType;
  const added = addField({ schema, parent, field }, text.replace('|', ''), cursor);
  if ('problem' in added) return added.problem;
  expect(added.text.slice(added.offset)).toMatch(new RegExp(`^${field}\\b`));
  expect(validate(schema, parse(added.text))).toEqual([]);
  return added.text;
}

describe('a field of the documentation', () => {
  it('begins an operation with its variables and a selection in an empty document', () => {
    expect(add('Query.topics', '')).toBe('{\n  topics {\n    nodes {\n      id\n    }\n  }\n}\n');
    expect(add('Query.page', '# nothing yet\n')).toBe(
      'query ($pageId: ID!) {\n  page(pageId: $pageId) {\n    id\n  }\n}\n',
    );
    expect(add('Mutation.restorePage', '')).toMatch(
      /^mutation \(\$input: RestorePageInput!\) \{\n {2}restorePage\(input: \$input\) \{/,
    );
  });

  it('is inserted after the last field of its type, in the same layout', () => {
    expect(
      add('Topic.title', '{\n  topics {\n    nodes {\n      id # of Relay\n    }\n  }\n}'),
    ).toBe('{\n  topics {\n    nodes {\n      id\n      title # of Relay\n    }\n  }\n}');
    expect(add('Topic.title', '{ topics { nodes { id } } }')).toBe(
      '{ topics { nodes { id title } } }',
    );
  });

  it('is inserted at the cursor when several selections have its type', () => {
    const text = '{ a: topics { nodes { id } } b: topics { nodes { i|d } } }';

    expect(add('Topic.title', text)).toBe(
      '{ a: topics { nodes { id } } b: topics { nodes { id title } } }',
    );
  });

  it('adds its variables to those of the operation, under a free name', () => {
    expect(
      add('Query.person', 'query People($first: Int) { persons(first: $first) { totalCount } }'),
    ).toBe(
      'query People($first: Int, $personId: ID!) { persons(first: $first) { totalCount } person(personId: $personId) { id } }'.replace(
        '{ id }',
        '{\n  id\n}',
      ),
    );
    expect(add('Query.person', '{ topics { totalCount } }')).toMatch(
      /^query \(\$personId: ID!\) \{ topics/,
    );
    expect(
      add(
        'Query.person',
        'query Q($personId: String) { page(pageId: "a") { name } topics(after: $personId) { totalCount } }',
      ),
    ).toContain('$personPersonId: ID!');
  });

  it('adds a variable for every raw id of a lookup, each with an entry in the variables', () => {
    expect(add('Query.audience', '')).toMatch(
      /^query \(\$audienceId: ID!, \$pageId: ID!\) \{\n {2}audience\(audienceId: \$audienceId, pageId: \$pageId\)/,
    );
    expect(JSON.parse(addVariables('', ['audienceId', 'pageId']))).toEqual({
      audienceId: null,
      pageId: null,
    });
    expect(addVariables('{\n  // ours\n  "pageId": "a"\n}', ['audienceId', 'pageId'])).toBe(
      '{\n  // ours\n  "pageId": "a",\n  "audienceId": null\n}',
    );
  });

  it.each(['[]', '1', 'null', '"x"', '{ "pageId": ', '{ pageId: 1 }', '{ "a": 1 } {}'])(
    'does not change variables that are not a JSON object: %s',
    (text) => {
      expect(addVariables(text, ['audienceId'])).toBe(text);
    },
  );

  it('requires values for its variables that have none', () => {
    const names = ['audienceId', 'pageId'];

    expect(variablesToGive('', names)).toEqual(names);
    expect(variablesToGive('{ "pageId": "a" }', names)).toEqual(['audienceId']);
    expect(variablesToGive('{ "pageId": 0, "audienceId": null }', names)).toEqual(['audienceId']);
  });

  it('is inserted into a fragment, and into an object of its interface', () => {
    const text = 'query A { topics { nodes { ...F } } } fragment F on Topic { id| }';

    expect(add('Topic.title', text)).toBe(text.replace('{ id| }', '{ id title }'));
    expect(add('Node.id', '{ topics { nodes { title } } }')).toBe(
      '{ topics { nodes { title id } } }',
    );
  });

  it('is rejected with a message that explains why', () => {
    expect(add('Topic.title', '{ persons { totalCount } }')).toBe(
      'The query does not select a Topic. Add Query.topic first.',
    );
    expect(add('Topic.title', '{ topics { nodes { title } } }')).toBe(
      'title is already in the query.',
    );
    expect(add('Topic.title', '{ topics {')).toBe('The query has a syntax error. Fix it first.');
    expect(add('Mutation.restorePage', '{ topics { totalCount } }')).toBe(
      'This document has no mutation. Add the field in a new tab.',
    );
  });
});
