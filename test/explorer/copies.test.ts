/** Requests as code for clients: the code is what the clients' types take. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { parse } from 'graphql';
import ts from 'typescript';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Copied } from '../../src/explorer/documents/copies.ts';

// The page's modules ask where the page is.
vi.stubGlobal('location', { origin: 'http://127.0.0.1:4000', pathname: '/graphql' });
const { COPIES } = await import('../../src/explorer/documents/copies.ts');

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const REQUESTS = {
  query: {
    document: 'query TopicList($first: Int) {\n  topics(first: $first) { totalCount }\n}\n',
    variables: { first: 3 },
    headers: [],
  },
  mutation: {
    document:
      'mutation Publish($input: PublishAudienceVersionInput!) { publishAudienceVersion(input: $input) { userErrors { message } } }',
    variables: { input: { id: 'x' } },
    headers: ['x-team'],
  },
  subscription: {
    document: 'subscription Progress($id: ID!) { audienceVersionProgress(id: $id) { isFinal } }',
    variables: { id: 'x' },
    headers: [],
  },
  'query without a name': {
    document: '{ page(pageId: """`${x}`""") { name } }',
    variables: {},
    headers: [],
  },
};

const CASES = Object.entries(REQUESTS).flatMap(([kind, request]) =>
  Object.keys(COPIES).map((client) => [client, kind, request] as const),
);

const copyOf = (client: string, request: Copied): string => COPIES[client]!(request);

it.each(CASES)('%s, a %s: has the document, and no key', (client, _kind, request) => {
  const text = copyOf(client, request);

  expect(text).toContain(
    client === 'curl' ? '$API_KEY' : request.document.slice(-20).trim().slice(-8),
  );
  expect(text).not.toContain('x-explain');
});

it('compiles as TypeScript for each client', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.copies-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = CASES.filter(([client]) => client !== 'curl').map(
    ([client, kind, request], index) => {
      const text = copyOf(client, request);
      const [, artifact] = /from "(\.\/__generated__\/\w+)\.graphql"/.exec(text) ?? [];
      const name = /import type \{ (\w+) \}/.exec(text)?.[1];
      const file = join(folder, `${index}-${kind.replaceAll(' ', '-')}.tsx`);
      // What relay-compiler would have written.
      const types = artifact
        ? text.replace(
            /^import type .*$/m,
            `type ${name} = { response: Record<string, unknown>; variables: Record<string, unknown> };`,
          )
        : text;
      writeFileSync(file, types);
      return file;
    },
  );

  const program = ts.createProgram(files, {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Preserve,
    moduleDetection: ts.ModuleDetectionKind.Force,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    types: ['react'],
  });
  const faults = ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName.slice(-40)} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  expect(faults).toEqual([]);
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
