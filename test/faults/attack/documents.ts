/**
 * Attacks by documents: cycles that multiply the answer, planning, validation, introspection, and names
 * that objects inherit from prototypes.
 */
import { getIntrospectionQuery } from 'graphql';
import { formatNodeId } from '../../../src/graph/types/node-id.ts';
import type { Attack, Post, Reply } from './definition.ts';

const KEY = 'key-of-an-attacker';

/** Page → audiences → page → …: two REST calls, and forty times the answer each round. */
const cycle = (rounds: number, innermost: string): string =>
  rounds === 0
    ? innermost
    : `audiences(first:100){nodes{${rounds === 1 ? innermost : `page{${cycle(rounds - 1, innermost)}}`}}}`;

const manyOf = (typename: string, count: number): string[] =>
  Array.from({ length: count }, () => formatNodeId(typename, ['p']));

const oneCycle = (turn: number): Post => ({
  query: `{page(pageId:"p${turn}"){${cycle(3, 'id')}}}`,
  key: KEY,
});

const manyCycles =
  (innermost: string) =>
  (turn: number): Post => ({
    query: `query($i:[ID!]!){nodes(ids:$i){...on Page{${cycle(3, innermost)}}}}#${turn}`,
    variables: { i: manyOf('Page', 100) },
    key: KEY,
  });

const MORE_FIELDS = 'id audienceId computedName effectiveName status createdAt';

/** 29 × 100 objects over one fragment, nearly as deep as the limit allows. */
const planned =
  (key?: string) =>
  (turn: number): Post => {
    const aliases = Array.from({ length: 29 }, (_, i) => `a${i}:nodes(ids:$i){...F}`).join(' ');
    const deep =
      'audiences(first:9){nodes{person{logs{nodes{person{logs{nodes{person{name}}}}}}} versions{nodes{audience{links{nodes{path}}}}} links{nodes{path}}}}';
    return {
      query: `query Q${turn}($i:[ID!]!){${aliases}} fragment F on Page{${deep}}`,
      variables: { i: Array.from({ length: 100 }, (_, i) => formatNodeId('Page', [`${i}`])) },
      ...(key !== undefined && { key }),
    };
  };

/** Validation compares each field with every other of the same name, and their selections. */
const unspread = (turn: number): Post => ({
  query: `query Q${turn}{__typename} fragment F on Page{${'links{totalCount} '.repeat(480)}}`,
});

/** Ninety fragments that spread three others each. */
const circles = (turn: number): Post => ({
  query: `query Q${turn}{__typename} ${Array.from(
    { length: 90 },
    (_, i) =>
      `fragment F${i} on Page{...F${(i + 1) % 90} ...F${(i + 8) % 90} ...F${(i + 15) % 90} name}`,
  ).join(' ')}`,
});

/** Every field of every type, and under 23 aliases all that there is of its type. */
const introspection = (turn: number): Post => {
  const types = Array.from({ length: 23 }, (_, i) => `a${i}:type{...G}`).join(' ');
  return {
    query: `query Q${turn}{__schema{types{name fields{${types}}}}} ${TYPE_IN_FULL}`,
  };
};

const TYPE_IN_FULL =
  'fragment F on __Type{name description fields{name description args{name description}}interfaces{name description}possibleTypes{name description}inputFields{name description}} fragment G on __Type{...F ofType{...F ofType{...F ofType{...F}}}}';

const everything = (): Post => ({
  query: getIntrospectionQuery(),
  operationName: 'IntrospectionQuery',
});

/** So many callers who ask again as soon as they are answered. */
const repeating = (post: (turn: number) => Post, callers: number): NonNullable<Attack['run']> => {
  let turn = 0;
  return ({ loop, send }) => loop(callers, () => send(post(++turn)));
};

const PERSON = '{personId}';

/** Bodies with names that objects inherit, and what must be answered to each. */
const NAMES: readonly (readonly [
  what: string,
  body: string,
  isRight: (reply: Reply) => boolean,
])[] = [
  [
    'a variable is used',
    `{"query":"query($__proto__:ID!){person(personId:$__proto__)${PERSON}}","variables":{"__proto__":"p"}}`,
    has('"person":{"personId":"p"}'),
  ],
  [
    'a variable that is absent is absent',
    '{"query":"query($constructor:Int,$toString:ID){persons(first:$constructor){nodes{personId}} pageLinks(pageId:$toString,first:1){nodes{path}}}"}',
    has('"path":"path"'),
  ],
  [
    'variables inherit nothing',
    `{"query":"query($id:ID!){person(personId:$id)${PERSON}}","variables":{"__proto__":{"id":"p"}}}`,
    refused,
  ],
  ['a body inherits nothing', '{"__proto__":{"query":"{__typename}"}}', refused],
  [
    'an alias is answered',
    `{"query":"{__proto__:person(personId:\\"p\\")${PERSON}}"}`,
    has('"__proto__":{"personId":"p"}'),
  ],
  [
    'an alias below is answered',
    '{"query":"{person(personId:\\"p\\"){__proto__:personId constructor:name}}"}',
    has('{"__proto__":"p","constructor":"name"}'),
  ],
  [
    'an argument is refused',
    `{"query":"{person(personId:\\"p\\",__proto__:1)${PERSON}}"}`,
    refused,
  ],
  [
    'a field of an input is refused',
    writing('{"id":"ID","title":"t","__proto__":{"sortOrder":1}}'),
    refused,
  ],
  [
    'a field of a literal is refused',
    `{"query":"mutation{updateTopic(input:{id:\\"${topic()}\\",title:\\"t\\",__proto__:1}){topic{title}}}"}`,
    refused,
  ],
  ['an input inherits nothing', writing('{"__proto__":{"id":"ID","title":"t"}}'), refused],
  [
    'an operation is found',
    '{"query":"query __proto__{__typename} query b{a:__typename}","operationName":"__proto__"}',
    has('{"__typename":"Query"}'),
  ],
  [
    'an operation that is not there is not found',
    '{"query":"query a{__typename} query b{__typename}","operationName":"constructor"}',
    refused,
  ],
  [
    'a fragment is spread',
    '{"query":"{...__proto__} fragment __proto__ on Query{__typename}"}',
    has('{"__typename":"Query"}'),
  ],
  ['a fragment that is not there is refused', '{"query":"{...constructor}"}', refused],
  ['a directive is refused', '{"query":"{__typename @__proto__}"}', refused],
  ['a type is refused', '{"query":"{...on __proto__{__typename}}"}', refused],
];

function has(part: string): (reply: Reply) => boolean {
  return ({ text }) => text.includes(part) && !text.includes('"errors"');
}

/** Without data, and with a code. */
function refused({ text }: Reply): boolean {
  return /"code":"[A-Z_]+"/.test(text) && !/"data":\{/.test(text);
}

function topic(): string {
  return formatNodeId('Topic', ['t']);
}

function writing(input: string): string {
  return `{"query":"mutation($input:UpdateTopicInput!){updateTopic(input:$input){topic{title}}}","variables":{"input":${input.replace('ID', topic())}}}`;
}

export const attacks: readonly Attack[] = [
  {
    point: 1,
    name: 'a cycle of 130 bytes',
    requests: [oneCycle],
    run: repeating(oneCycle, 2),
  },
  {
    point: 1,
    name: 'cycles under nodes',
    requests: [manyCycles('id')],
    run: repeating(manyCycles('id'), 2),
  },
  {
    point: 1,
    name: 'cycles under nodes, six fields',
    requests: [manyCycles(MORE_FIELDS)],
    run: repeating(manyCycles(MORE_FIELDS), 1),
  },
  {
    point: 2,
    name: 'planning without a key',
    requests: [planned()],
    run: repeating(planned(), 4),
  },
  {
    point: 2,
    name: 'planning with a key',
    requests: [planned(KEY)],
    run: repeating(planned(KEY), 4),
  },
  {
    point: 5,
    name: 'fragments nobody spreads',
    requests: [unspread],
    run: repeating(unspread, 4),
  },
  {
    point: 5,
    name: 'fragments in circles nobody spreads',
    requests: [circles],
    run: repeating(circles, 4),
  },
  {
    point: 5,
    name: 'introspection of introspection',
    requests: [introspection],
    run: repeating(introspection, 4),
  },
  {
    point: 5,
    name: 'the whole introspection',
    requests: [everything],
    run: repeating(everything, 20),
  },
  {
    point: 8,
    name: 'names of prototypes',
    victim: null,
    run: async ({ ask, count, wrong }) => {
      for (const [what, body, isRight] of NAMES) {
        const reply = await ask({ body, key: KEY });
        if (isRight(reply)) count('right');
        else wrong(`"${what}" does not hold: ${reply.status} ${reply.text.slice(0, 200)}`);
      }
    },
  },
];
