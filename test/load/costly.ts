/**
 * The most expensive requests that are known, each at most 100 KB and close to the limits: of parsing, checking,
 * planning, coercing and executing. Found by a search over random documents that these replace.
 */
import { getIntrospectionQuery } from 'graphql';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import type { Post } from './definition.ts';

const KEY = 'key-of-an-attacker';

const times = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => formatNodeId('Page', [`${i}`]));

/** Page → audiences → page → …: two REST calls, and forty times the response per level. */
export const cycle = (rounds: number, innermost: string): string =>
  rounds === 0
    ? innermost
    : `audiences(first:100){nodes{${rounds === 1 ? innermost : `page{${cycle(rounds - 1, innermost)}}`}}}`;

/** 130 bytes. */
export const oneCycle = (turn: number): Post => ({
  query: `{page(pageId:"p${turn}"){${cycle(3, 'id')}}}`,
  key: KEY,
});

export const manyCycles = (turn: number): Post => ({
  query: `query Q${turn}($i:[ID!]!){nodes(ids:$i){...on Page{${cycle(3, 'id audienceId computedName effectiveName status createdAt')}}}}`,
  variables: { i: Array(100).fill(formatNodeId('Page', ['p'])) },
  key: KEY,
});

/** 29 × 100 objects over one fragment, nearly as deep as the limit allows. */
const planned = (turn: number): Post => ({
  query: `query Q${turn}($i:[ID!]!){${times(29, (i) => `a${i}:nodes(ids:$i){...F}`)}} fragment F on Page{audiences(first:9){nodes{person{logs{nodes{person{logs{nodes{person{name}}}}}}} versions{nodes{audience{links{nodes{path}}}}} links{nodes{path}}}}}`,
  variables: { i: ids(100) },
});

/** Validation compares each field with every other of the same name, and their selections. */
const unspread = (turn: number): Post => ({
  query: `query Q${turn}{__typename} fragment F on Page{${'links{totalCount} '.repeat(480)}}`,
});

/** Ninety fragments that spread three others each. */
const circles = (turn: number): Post => ({
  query: `query Q${turn}{__typename} ${times(90, (i) => `fragment F${i} on Page{...F${(i + 1) % 90} ...F${(i + 8) % 90} ...F${(i + 15) % 90} name}`)}`,
});

const conflicts = (turn: number): Post => ({
  query: `query Q${turn}{page(pageId:"m"){${times(60, (i) => `...F${i}`)}}} ${times(60, (i) => `fragment F${i} on Page{${times(10, (j) => `a${j}:name`)}}`)}`,
});

const FULL_TYPE = getIntrospectionQuery().replace(/^[^]*?(?=fragment FullType)/, '');

const introspection = (turn: number): Post => ({
  query: `query Q${turn}{${times(23, (i) => `a${i}:__schema{types{...FullType}}`)}} ${FULL_TYPE}`,
});

const types = (turn: number): Post => ({
  query: `query Q${turn}{__schema{types{name fields{${times(20, (i) => `a${i}:type{name fields{name args{name type{name}}}}`)}}}}}`,
});

const unknownFields = (turn: number): Post => ({
  query: `query Q${turn}{page(pageId:"u"){${times(950, (i) => `effectiveNam${i}`)}}}`,
});

const unknownArguments = (turn: number): Post => ({
  query: `query Q${turn}{persons(${times(600, (i) => `firs${i}:1`)}){nodes{name}}}`,
});

const wide = (turn: number): Post => ({
  query: `query Q${turn}{page(pageId:"w"){${times(1_900, (i) => (i % 2 ? 'name' : 'title'))}}}`,
  key: KEY,
});

const manyVariables = (turn: number): Post => ({
  query: `query Q${turn}(${times(600, (i) => `$v${i}:UpdateTopicInput`)}){__typename}`,
  variables: Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`v${i}`, { x: i }])),
  key: KEY,
});

const CREATE_PAGE =
  'mutation ($input: CreatePageInput!) { createPage(input: $input) { page { id } userErrors { code field message } } }';

const largeInput = (): Post => ({
  query: CREATE_PAGE,
  variables: { input: { name: 'n', actions: Array(4_900).fill({ purpose: 'p' }) } },
  key: KEY,
});

const wrongInput = (): Post => ({
  query: CREATE_PAGE,
  variables: {
    input: Object.fromEntries(Array.from({ length: 4_900 }, (_, i) => [`action${i}`, i])),
  },
  key: KEY,
});

const manyIds = (turn: number): Post => ({
  query: `query Q${turn}($i:[ID!]!){${times(29, (i) => `a${i}:nodes(ids:$i){id __typename}`)}}`,
  variables: { i: ids(100) },
  key: KEY,
});

const longText = (turn: number): Post => ({
  query: `query Q${turn}{searchPages(query:"""${'\n  x'.repeat(1_900)}${'é'.repeat(40_000)}"""){name}}`,
  key: KEY,
});

const everyPerson = (turn: number): Post => ({
  query: `query Q${turn}{${times(12, (i) => `a${i}:persons(first:100){nodes{id personId name email domain createdAt}}`)}}`,
  key: KEY,
});

const BELOW_A_PAGE = `{name links{nodes{path}} audiences{totalCount nodes{effectiveName links{nodes{path}} latestVersion{status}
  publishedVersion{status} versions{nodes{status}} person{name logs{nodes{id}} account{name persons{nodes{name}} logs{nodes{id}}}}}}}`;

/** Each text new, close to the limit of tokens. */
export const pages = (turn: number): Post => ({
  query: `query Q${turn}{${times(25, (i) => `p${i}:page(pageId:"n${turn}-${i}")${BELOW_A_PAGE}`)}}`,
  key: KEY,
});

/** By name, for the remarks below the table. */
export const costly: Readonly<Record<string, (turn: number) => Post>> = {
  planned,
  'planned for a key': (turn) => ({ ...planned(turn), key: KEY }),
  'unused fragments': unspread,
  'fragments in circles': circles,
  'fields in conflict': conflicts,
  introspection,
  'types of all fields': types,
  'unknown fields': unknownFields,
  'unknown arguments': unknownArguments,
  'repeated fields': wide,
  'many variables': manyVariables,
  'a large input': largeInput,
  'a wrong input': wrongInput,
  'many ids': manyIds,
  'a long text': longText,
  'lists of persons': everyPerson,
};
