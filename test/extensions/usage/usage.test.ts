/** Usage counts of a gateway at its admin port, compared with a separate walk of the documents. */
import fc from 'fast-check';
import {
  getNamedType,
  getOperationAST,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLNamedType,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXAMPLE_API_KEY } from '../../../src/backend/seed/example.ts';
import { OTHER_APP } from '../../../src/gateway/operation/app-version.ts';
import { Document } from '../../../src/gateway/operation/document.ts';
import { schema } from '../../../src/app/schema.ts';
import { openHttpServer } from '../../../src/gateway/http/http-server.ts';
import type { UsageReport } from '../../../src/extensions/usage/usage-report.ts';
import { usageExtension } from '../../../src/extensions/usage/usage-extension.ts';
import { Usage } from '../../../src/extensions/usage/usage.ts';
import { openFolder } from '../../support/folder.ts';
import { afterFile } from '../../support/after-file.ts';
import { cases } from '../../support/cases.ts';
import { send } from '../../support/client.ts';
import { IDS, SAMPLE_VALUES } from '../../support/ids.ts';
import { openGateway, type InProcessOptions } from '../../support/open-gateway.ts';
import { randomQuery, UNLIMITED } from '../../support/random-query.ts';
import { DEFAULTS } from '../../support/settings.ts';

const PAGE = 'query Page($id: ID!) { page(pageId: $id) { name } }';
const TOPICS = 'query Topics { topics(first: 1) { nodes { title } } }';
const PAGE_USES = ['Page.name', 'Query.page', 'Query.page(pageId:)'];

async function openCounted(options: InProcessOptions = {}) {
  const site = await openGateway({
    ...options,
    http: { adminPort: 0 },
    extensions: [usageExtension()],
  });
  const admin = await openHttpServer(site.gateway.admin, { ...DEFAULTS.http, port: 0 });
  afterFile(() => admin.close(0));
  const usage = async (): Promise<UsageReport> =>
    (await send(`${admin.url}/usage`)).body as UsageReport;
  return Object.assign(site, { usage });
}

async function openTrusting() {
  const folder = openFolder({
    'ios-4.2.json': { page: PAGE, topics: TOPICS },
    'web-1.json': { page: PAGE },
  });
  const site = await openCounted({ documents: { folder } });
  await site.gateway.open();
  onTestFinished(() => site.gateway.close());
  return site;
}

describe('usage', () => {
  it('is reported by app, version and document, and for all untrusted documents together', async () => {
    const site = await openTrusting();
    const withKey = { 'x-api-key': EXAMPLE_API_KEY };
    const ofIos = { ...withKey, 'graphql-client-name': 'ios', 'graphql-client-version': '4.2' };
    const variables = { id: IDS.page };
    for (let i = 0; i < 3; i++) {
      await site.post({ documentId: 'page', variables }, ofIos);
    }
    await site.post({ documentId: 'topics' }, withKey);
    await site.ask('query Mine { topics { nodes { title } } }');
    await site.ask('{ topics { totalCount } }');

    const { since, documents } = await site.usage();

    expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
    expect(documents).toEqual([
      {
        ...{ app: 'ios', version: '4.2', operation: 'Page', executions: 3 },
        document: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        uses: Object.fromEntries(PAGE_USES.map((one) => [one, 3])),
      },
      expect.objectContaining({ app: 'ios', version: '4.2', operation: 'Topics', executions: 1 }),
      {
        ...{ app: 'other', version: 'other', document: 'other', operation: 'other' },
        executions: 2,
        uses: {
          ...{ 'Query.topics': 2, 'TopicConnection.nodes': 1, 'Topic.title': 1 },
          'TopicConnection.totalCount': 1,
        },
      },
    ]);
  });

  it('does not count a document that is refused', async () => {
    const site = await openCounted();
    await site.ask('{ topics { nope } }');
    await site.ask('{ topics ');

    expect((await site.usage()).documents).toEqual([]);
  });

  it('is not served at the port of callers', async () => {
    const [without, withOne] = [await openGateway(), await openCounted()];
    for (const { url } of [without, withOne]) {
      expect((await send(`${url}/usage`)).status).toBe(404);
    }
  });

  it('counts each coordinate of random documents once for each execution', async () => {
    const site = await openCounted({
      documents: { limits: UNLIMITED },
      limits: { maxUpstreamCalls: 2_000 },
    });
    const expected = new Map<string, number>();
    let executions = 0;
    const some = fc.tuple(fc.integer({ min: 1 }), fc.integer({ min: 1, max: 3 }));
    await fc.assert(
      fc.asyncProperty(some, async ([seed, times]) => {
        const query = randomQuery(seed, { schema, values: SAMPLE_VALUES, depth: 4 });
        const found = walked(parse(query.source));
        for (let i = 0; i < times; i++) {
          await site.ask(query.source, { variables: query.variables });
          executions += 1;
          for (const one of found) expected.set(one, (expected.get(one) ?? 0) + 1);
        }
      }),
      { numRuns: cases(12) },
    );

    const [counted] = (await site.usage()).documents;

    expect(counted?.executions).toBe(executions);
    expect(counted?.uses).toEqual(Object.fromEntries(expected));
  });

  it('sums 2,500 different documents in one entry for each app', () => {
    const usage = new Usage(schema);
    const documents = Array.from({ length: 2_500 }, (_, i) => {
      const text = `query Q${i} { topics { totalCount } }`;
      return new Document({ text, syntax: parse(text) });
    });
    for (const app of [undefined, { app: 'a', version: '1' }]) {
      for (const document of documents) {
        usage.count({ app, definition: document.operation(undefined) });
      }
    }

    const uses = { 'Query.topics': 2_500, 'TopicConnection.totalCount': 2_500 };
    const others = { document: 'other', operation: 'other', executions: 2_500, uses };
    expect(usage.report().documents).toEqual([
      { ...OTHER_APP, ...others },
      { app: 'a', version: '1', ...others },
    ]);
  });
});

/** The coordinates of a document with one operation, found without graphql-js' visitors. */
function walked(document: DocumentNode): ReadonlySet<string> {
  const found = new Set<string>();
  const operation = getOperationAST(document)!;
  for (const { type } of operation.variableDefinitions ?? []) {
    let named = type;
    while (named.kind !== Kind.NAMED_TYPE) named = named.type;
    addType(schema.getType(named.name.value)!);
  }
  walk(schema.getRootType(operation.operation)!, operation.selectionSet);
  return found;

  function addType(type: GraphQLNamedType): void {
    if (found.has(type.name) || !(isEnumType(type) || isInputObjectType(type))) return;
    found.add(type.name);
    if (!isInputObjectType(type)) return;
    for (const field of Object.values(type.getFields())) addType(getNamedType(field.type));
  }

  function walk(type: GraphQLNamedType, { selections }: SelectionSetNode): void {
    for (const one of selections) {
      if (one.kind === Kind.FIELD) {
        const name = one.name.value;
        if (name.startsWith('__') || !('getFields' in type)) continue;
        const field = type.getFields()[name]!;
        found.add(`${type.name}.${name}`);
        for (const { name: argument, value } of one.arguments ?? []) {
          found.add(`${type.name}.${name}(${argument.value}:)`);
          const { args = [] } = field as {
            args?: readonly { name: string; type: GraphQLInputType }[];
          };
          addValue(args.find((arg) => arg.name === argument.value)!.type, value);
        }
        const inner = getNamedType(field.type);
        if (one.selectionSet && isCompositeType(inner)) walk(inner, one.selectionSet);
        continue;
      }
      const inner =
        one.kind === Kind.INLINE_FRAGMENT
          ? one
          : document.definitions.find(
              (other) =>
                other.kind === Kind.FRAGMENT_DEFINITION && other.name.value === one.name.value,
            );
      if (!inner || !('selectionSet' in inner) || !('typeCondition' in inner)) continue;
      const condition = inner.typeCondition?.name.value;
      walk(condition === undefined ? type : schema.getType(condition)!, inner.selectionSet);
    }
  }

  function addValue(type: GraphQLInputType, value: ValueNode): void {
    const nullable = isNonNullType(type) ? type.ofType : type;
    if (value.kind === Kind.LIST && isListType(nullable)) {
      for (const item of value.values) addValue(nullable.ofType, item);
      return;
    }
    const named = getNamedType(nullable);
    if (value.kind === Kind.ENUM) found.add(`${named.name}.${value.value}`);
    if (value.kind !== Kind.OBJECT || !isInputObjectType(named)) return;
    for (const { name, value: inner } of value.fields) {
      found.add(`${named.name}.${name.value}`);
      addValue(named.getFields()[name.value]!.type, inner);
    }
  }
}
