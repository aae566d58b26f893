/** The subgraph's schema, as two composers read it alone and with another subgraph. */
import {
  buildSchema,
  isInterfaceType,
  isObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { readPages } from '../../support/pages.ts';
import {
  composeContract,
  composers,
  content,
  hasPackages,
  type Composer,
  type Subgraph,
} from './supergraph.ts';

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.0",
  import: ["@key", "@shareable", "@inaccessible"])`;

const other = (sdl: string): Subgraph => ({
  name: 'other',
  url: 'http://other',
  sdl: `${LINK} ${sdl}`,
});

/** `Page.name: String!`, of all types that have fields. */
const fieldsOf = ({ getTypeMap }: Pick<GraphQLSchema, 'getTypeMap'>): string[] =>
  Object.values(getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .filter(({ name }) => !name.startsWith('__') && name !== 'Node')
    .flatMap((type) =>
      Object.values(type.getFields()).map(({ name, type: of, args }) => {
        const given = args.map((arg) => `${arg.name}: ${String(arg.type)}`).sort();
        return `${type.name}.${name}(${given.join(', ')}): ${String(of)}`;
      }),
    )
    .filter((field) => !/^Query\.nodes?\(/.test(field))
    .sort();

/** The names of a page's fields. */
const pageIn = (api: string): string[] =>
  Object.keys((buildSchema(api).getType('Page') as GraphQLObjectType).getFields());

describe.runIf(hasPackages).each(Object.entries(composers))('%s', (_name, compose: Composer) => {
  it('composes the subgraph alone into a schema with every field of schema.graphql except node and nodes', () => {
    const { errors, api } = compose([content()]);

    expect(errors).toEqual([]);
    const composed = buildSchema(api);
    expect(fieldsOf({ getTypeMap: () => composed.getTypeMap() })).toEqual(
      fieldsOf({ getTypeMap: () => schema.getTypeMap() }),
    );
    expect(composed.getType('_Entity')).toBeUndefined();
  });

  it.each(['id', 'pageId'])('lets another subgraph add a field to a page by the key %s', (key) => {
    const { errors, api, supergraph } = compose([
      content(),
      other(`type Page @key(fields: "${key}") { ${key}: ID! stars: Int! }`),
    ]);

    expect(errors).toEqual([]);
    expect(pageIn(api)).toContain('stars');
    for (const one of ['id', 'pageId']) {
      expect(supergraph).toMatch(new RegExp(`@join__type\\(graph: CONTENT, key: "${one}"`));
    }
  });

  it('lets the service of docs/federation.md extend pages', () => {
    const [{ text } = { text: '' }] = readPages()
      .flatMap(({ blocks }) => blocks)
      .filter(({ info }) => info === 'compose');

    const { errors, api } = compose([content(), other(`${text} type Review { stars: Int! }`)]);

    expect(errors).toEqual([]);
    expect(pageIn(api)).toContain('reviews');
  });

  it('lets another subgraph define node and its own connections', () => {
    const { errors } = compose([
      content(),
      other(`interface Node { id: ID! } type Review implements Node @key(fields: "id") { id: ID! }
        type Query { node(id: ID!): Node reviews: [Review!]! }
        type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }`),
    ]);

    expect(errors).toEqual([]);
  });

  it.each([
    ['@shareable on PageInfo', 'PageInfo.hasNextPage', /(?<=type PageInfo) @shareable/, ''],
    ['the removal of node', 'Query.node', /(?<=type Query \{)/, 'node(id: ID!): LogEntry '],
  ])('fails to compose without %s', (_what, refused, pattern, instead) => {
    const { sdl, ...rest } = content();
    const { errors } = compose([
      { ...rest, sdl: sdl.replace(pattern, instead) },
      other(`interface LogEntry { type: String } type Query { node(id: ID!): LogEntry }
        type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }`),
    ]);

    expect(sdl).toMatch(pattern);
    expect(errors.join()).toContain(refused);
  });

  it('lets another subgraph hide a key that it shares', () => {
    const { errors, api } = compose([
      content(),
      other('type Page @key(fields: "pageId") { pageId: ID! @inaccessible stars: Int! }'),
    ]);

    expect(errors).toEqual([]);
    expect(pageIn(api)).toContain('stars');
    expect(pageIn(api)).not.toContain('pageId');
  });
});

describe.runIf(hasPackages)('a contract', () => {
  it('omits mutations and subscriptions by their tags', () => {
    const all = buildSchema(composeContract([content()], []).api);
    const readOnly = buildSchema(composeContract([content()], ['write', 'live']).api);

    expect(Object.keys(all.getMutationType()!.getFields())).toHaveLength(7);
    expect(readOnly.getMutationType()).toBeUndefined();
    expect(readOnly.getSubscriptionType()).toBeUndefined();
    expect(readOnly.getType('CreatePageInput')).toBeUndefined();
    expect(readOnly.getQueryType()!.getFields()).toHaveProperty('page');
  });
});
