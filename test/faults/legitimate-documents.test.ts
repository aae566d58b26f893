/**
 * Legitimate documents pass all limits: those of this project with lists of a hundred, as clients write them, and
 * the introspection of tools.
 */
import { readdirSync, readFileSync } from 'node:fs';
import {
  concatAST,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  OperationTypeNode,
  parse,
  print,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type IntrospectionOptions,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { afterAll, describe, expect, it } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { schema } from '../../src/app/schema.ts';
import { openEvents } from '../live/support.ts';
import { startGateway } from '../support/gateway-process.ts';
import { IDS } from '../support/ids.ts';
import { until } from '../support/until.ts';

// Responses take up to 250 calls, perhaps on a busy machine. An embedded backend has the time of the request.
const gateway = await startGateway({ UPSTREAM_TIMEOUT_MS: '1', REQUEST_TIMEOUT_MS: '60000' });

afterAll(() => gateway.stop('SIGKILL'));

/** It has 105 audiences: a list of a hundred is full. */
const LARGE_PAGE = 'page_spring_outreach';

/** Values by the names of variables; a new document may need one more. */
const VALUES: Readonly<Record<string, unknown>> = {
  first: 100,
  after: null,
  pageId: LARGE_PAGE,
  accountId: IDS.account,
  query: 'a',
  id: formatNodeId('AudienceVersion', [IDS.page, IDS.audience, IDS.version]),
};

/** The inputs of mutations, by the operation. */
const INPUTS: Readonly<Record<string, unknown>> = {
  CreateAudience: { pageId: IDS.page, publishBehavior: 'draft', customName: 'For legitimate use' },
  PublishVersion: { id: VALUES['id'] },
};

const FOLDER = new URL('../../src/client/documents/', import.meta.url);
const files = readdirSync(FOLDER).map((file) => readFileSync(new URL(file, FOLDER), 'utf8'));
/** Each with the fragments it needs. */
const documents = separateOperations(concatAST(files.map((text) => parse(text))));

const operationOf = (document: DocumentNode): OperationDefinitionNode =>
  document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)!;

function variablesOf(document: DocumentNode): Record<string, unknown> {
  const { name, variableDefinitions = [] } = operationOf(document);
  return Object.fromEntries(
    variableDefinitions.map(({ variable }) => {
      const named = variable.name.value;
      const value = named === 'input' ? INPUTS[name!.value] : VALUES[named];
      expect(value, `a value for $${named} of ${name?.value}: add it above`).toBeDefined();
      return [named, value];
    }),
  );
}

/** Adds fields to every selection but an operation's own, as clients do before they send. */
function withFields(
  document: DocumentNode,
  namesFor: (set: SelectionSetNode) => string[],
): DocumentNode {
  return visit(document, {
    SelectionSet: (set, _key, parent) => {
      if (parent && 'kind' in parent && parent.kind === Kind.OPERATION_DEFINITION) return undefined;
      const added = namesFor(set).map((value) => ({
        kind: Kind.FIELD,
        name: { kind: Kind.NAME, value },
      }));
      return { ...set, selections: [...set.selections, ...added] };
    },
  });
}

/** Apollo and urql add `__typename` everywhere. */
const asApolloAndUrql = (document: DocumentNode): DocumentNode =>
  withFields(document, () => ['__typename']);

/** Relay's compiler adds `id` where there is one, and `__typename`. */
function asRelay(document: DocumentNode): DocumentNode {
  const withIds = new Set<SelectionSetNode>();
  const info = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(info, {
      SelectionSet: (set) => {
        const type = getNamedType(info.getType());
        const hasFields = isCompositeType(type) && (isObjectType(type) || isInterfaceType(type));
        if (hasFields && 'id' in type.getFields()) withIds.add(set);
      },
    }),
  );
  return withFields(document, (set) => ['__typename', ...(withIds.has(set) ? ['id'] : [])]);
}

const WRITTEN: readonly (readonly [string, (document: DocumentNode) => DocumentNode])[] = [
  ['as it is', (document) => document],
  ['by Apollo or urql', asApolloAndUrql],
  ['by Relay', asRelay],
];

/** A screen with a list, and the query for its next page, as Relay's compiler writes them. */
const RELAY_FRAGMENTS = `
  fragment Audiences_page on Page {
    audiences(first: $first, after: $after) {
      totalCount
      edges { node { ...Card_audience id __typename } cursor }
      pageInfo { endCursor hasNextPage hasPreviousPage startCursor }
    }
    id
  }
  fragment Card_audience on Audience {
    id audienceId effectiveName status
    ...Person_audience
    latestVersion { id versionNumber status ...Version_version }
    versions(first: 1) { edges { node { id ...Version_version __typename } cursor } pageInfo { endCursor hasNextPage } }
  }
  fragment Person_audience on Audience { id person { id personId name email } }
  fragment Version_version on AudienceVersion { id versionId createdAt publishedAt }`;

const RELAY_DOCUMENTS = [
  `query PageQuery($pageId: ID!, $first: Int!, $after: String) {
     page(pageId: $pageId) { __typename id name title status ...Audiences_page } } ${RELAY_FRAGMENTS}`,
  `query AudiencesPaginationQuery($id: ID!, $first: Int = 100, $after: String) {
     node(id: $id) { __typename ...Audiences_page id } } ${RELAY_FRAGMENTS}`,
];

describe('a document of this project with lists of 100 items,', () => {
  describe.each(WRITTEN)('written %s,', (_by, write) => {
    it.each(Object.keys(documents))('%s passes all limits', async (name) => {
      const document = write(documents[name]!);
      if (operationOf(document).operation === OperationTypeNode.SUBSCRIPTION) {
        const query = print(document);
        const stream = await openEvents(gateway.url, variablesOf(document), { query });
        await until(() => stream.events.length > 0);
        expect(stream.events[0]).not.toHaveProperty('errors');
        return;
      }

      const reply = await gateway.ask(print(document), {
        variables: variablesOf(document),
        apiKey: EXAMPLE_API_KEY,
      });

      expect(reply.errors).toEqual([]);
      expect(reply.status).toBe(200);
      expect(Object.values(reply.data)).not.toContain(null);
    });
  });
});

it.each(RELAY_DOCUMENTS)('document %# of Relay’s compiler passes all limits', async (source) => {
  const reply = await gateway.ask(source, {
    variables: { ...VALUES, id: formatNodeId('Page', [LARGE_PAGE]) },
    apiKey: EXAMPLE_API_KEY,
  });

  expect(reply.errors).toEqual([]);
  const page = reply.data.page ?? reply.data.node;
  expect(page.audiences.edges).toHaveLength(100);
});

it('250 concurrent calls pass all limits, including those of the embedded backend', async () => {
  const list = '{ persons(first: 83) { nodes { id } } }';
  const { data } = await gateway.ask(list, { apiKey: EXAMPLE_API_KEY });
  const ids = data.persons.nodes.map(({ id }: { readonly id: string }) => id);
  const document = `query ($ids: [ID!]!) {
    topics { totalCount }
    nodes(ids: $ids) { ... on Person {
      name logs { totalCount } all: logs(includeDeleted: true) { totalCount } } } }`;

  const { errors } = await gateway.ask(document, { variables: { ids }, apiKey: EXAMPLE_API_KEY });

  expect(ids).toHaveLength(83);
  expect(errors).toEqual([]);
});

/** The introspection of tools: graphql-js' default, each option, and all of them. */
const INTROSPECTIONS: readonly IntrospectionOptions[] = [
  {},
  { descriptions: false },
  { specifiedByUrl: true },
  { directiveIsRepeatable: true },
  { schemaDescription: true },
  { inputValueDeprecation: true },
  { oneOf: true },
  {
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  },
];

describe.each([
  ['with a key', { 'x-api-key': EXAMPLE_API_KEY }],
  ['without a key', {}],
])('introspection %s', (_what, headers) => {
  it.each(INTROSPECTIONS)('passes all limits with %j', async (options) => {
    const query = getIntrospectionQuery(options);

    const reply = await gateway.post({ query, operationName: 'IntrospectionQuery' }, headers);

    expect(reply.errors).toEqual([]);
    expect(reply.data.__schema.types.length).toBeGreaterThan(20);
  });
});
