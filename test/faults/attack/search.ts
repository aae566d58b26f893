/**
 * Searches for the most expensive request of at most 100 KB: makes requests of many shapes and sizes,
 * and sends each alone to an idle gateway.
 *
 * A case is a shape and a number: with the same seed it is the same request on every machine. Half of
 * the time goes to all shapes alike, the other half to the most expensive ones.
 */
import { getIntrospectionQuery } from 'graphql';
import { formatNodeId } from '../../../src/graph/types/node-id.ts';
import { randomFrom } from '../../support/random-query.ts';
import { isBroken, type Cost, type CostMeter } from './cost.ts';
import { bodyOf, type Post } from './definition.ts';

export interface Found {
  /** `shape:number`, for `--case`. */
  readonly name: string;
  readonly bytes: number;
  readonly cost: Cost;
}

const MAX_BYTES = 100_000;
const SHOWN = 10;
/** Shapes that get the second half of the time. */
const PROMISING = 8;
/** How often the most expensive cases are measured again at the end. */
const REPEATS = 3;

/** Random choices, the same for the same seed. */
class Choices {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)]!;
  }

  /** From 1 to `most`: in half of the cases close to it, otherwise of any magnitude. */
  size(most: number): number {
    const random = this.#random();
    const size = this.chance(0.5) ? most * (0.6 + 0.4 * random) : Math.exp(random * Math.log(most));
    return Math.max(1, Math.round(size));
  }
}

type Shape = (choose: Choices) => Post;

const times = (count: number, text: (i: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(between);

const KEY = 'key-of-a-searcher';
const keyed = (query: string, rest: Partial<Post> = {}): Post => ({ query, key: KEY, ...rest });

/** The longest text inside a body, in bytes. */
const LONG = 95_000;

const LEAVES = ['name', 'title', 'brandId', 'pageContext', 'pageType', 'status', 'createdAt', 'id'];
const LISTS = ['audiences', 'links'];

const FULL_TYPE = getIntrospectionQuery().replace(/^[^]*?(?=fragment FullType)/, '');

/** A selection on a page: its audiences, their page, its audiences, …. */
function nested(choose: Choices, depth: number, innermost: string): string {
  if (depth <= 0) return innermost;
  const edges = choose.pick(['nodes{page{', 'edges{cursor node{page{', 'nodes{__typename page{']);
  const open = `audiences(first:${choose.pick([1, 5, 20, 100])}){${edges}`;
  return `${open}${nested(choose, depth - 1, innermost)}${'}'.repeat(edges.split('{').length)}`;
}

const CREATE_PAGE =
  'mutation ($input: CreatePageInput!) { createPage(input: $input) { page { id } userErrors { code field message } } }';

/** Objects in objects. */
const tower = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : { a: tower(levels - 1, inner) };

const SHAPES: Readonly<Record<string, Shape>> = {
  wide: (choose) =>
    keyed(`{ page(pageId: "w") { ${times(choose.size(1_900), () => choose.pick(LEAVES))} } }`),

  'wide lists': (choose) =>
    keyed(
      `{ ${times(choose.size(30), (i) => `a${i}: page(pageId: "w${i}") { audiences(first: ${choose.size(100)}) { nodes { ${times(choose.size(40), () => choose.pick(['audienceId', 'status', 'createdAt', 'id', 'effectiveName']))} } } }`)} }`,
    ),

  deep: (choose) => {
    const depth = choose.size(95);
    return keyed(
      `{ page(pageId: "d") { ${'... on Page { '.repeat(depth)}${times(choose.size(50), () => choose.pick(LEAVES))}${' }'.repeat(depth)} } }`,
    );
  },

  cycles: (choose) =>
    keyed(
      `{ page(pageId: "c") { ${nested(
        choose,
        choose.size(3),
        times(choose.size(8), (i) => `f${i}: name`),
      )} } }`,
    ),

  'cycles under nodes': (choose) =>
    keyed(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Page { ${nested(
        choose,
        choose.size(3),
        times(choose.size(6), (i) => `f${i}: name`),
      )} } } }`,
      {
        variables: {
          ids: Array.from({ length: choose.size(100) }, () => formatNodeId('Page', ['c'])),
        },
      },
    ),

  'cycles of topics': (choose) => {
    const rounds = choose.size(3);
    const leaves = times(choose.size(5), (i) => `t${i}: title`);
    return keyed(
      `{ topics(first: 100) { nodes { ${'entries { nodes { topic { '.repeat(rounds)}${leaves}${' } } }'.repeat(rounds)} } } }`,
    );
  },

  aliases: (choose) => {
    const field = choose.pick([
      'page(pageId: "a") { NAMES }',
      'node(id: "x") { id }',
      '__typename',
    ]);
    const names = times(choose.size(60), () => choose.pick(LEAVES));
    return keyed(`{ ${times(choose.size(30), (i) => `a${i}: ${field.replace('NAMES', names)}`)} }`);
  },

  variables: (choose) => {
    const count = choose.size(600);
    const type = choose.pick([
      'ID',
      'Int',
      '[ID!]',
      'Boolean! = true',
      'UpdateTopicInput',
      'Nothing',
    ]);
    const used = choose.chance(0.5) ? '(first: $v0)' : '';
    return keyed(
      `query (${times(count, (i) => `$v${i}: ${type}`)}) { persons${used} { nodes { name } } }`,
      {
        variables: Object.fromEntries(
          Array.from({ length: count }, (_, i) => [`v${i}`, choose.pick([1, 'x', null, [1], {}])]),
        ),
      },
    );
  },

  'variables used often': (choose) => {
    const count = choose.size(100);
    return keyed(
      `query ($v: Boolean!) { ${times(count, (i) => `...F${i}`)} } ${times(count, (i) => `fragment F${i} on Query { __typename @skip(if: $v) ...F${(i + 1 + choose.size(5)) % count} }`)}`,
      { variables: { v: true } },
    );
  },

  'large variables': (choose) => {
    const count = choose.size(4_900);
    const item = choose.pick<unknown>([{}, { purpose: 'p' }, { nothing: 1 }, null, 'text', [[]]]);
    const input = {
      [choose.pick(['actions', 'footerLinks', 'scripts', 'nothing'])]: Array(count).fill(item),
      name: 'n',
    };
    return keyed(CREATE_PAGE, { variables: { input } });
  },

  'wrong variables': (choose) =>
    keyed(CREATE_PAGE, {
      variables: {
        input: Object.fromEntries(
          Array.from({ length: choose.size(4_900) }, (_, i) => [
            choose.pick(['action', 'scrip', 'x']) + i,
            i,
          ]),
        ),
      },
    }),

  'deep variables': (choose) =>
    keyed(CREATE_PAGE, {
      variables: { input: tower(choose.size(40), Array(choose.size(4_000)).fill(0)) },
    }),

  'deep JSON': (choose) => {
    const depth = choose.size(45_000);
    const text = choose.pick([
      `${'['.repeat(depth)}${']'.repeat(depth)}`,
      `${'{"a":'.repeat(depth / 3)}1${'}'.repeat(depth / 3)}`,
    ]);
    const place = choose.pick(['variables', 'extensions', 'other']);
    return { key: KEY, body: `{"query":"{__typename}","${place}":${text}}` };
  },

  'JSON names': (choose) => {
    const count = choose.size(8_000);
    const place = choose.pick(['variables', 'extensions', 'other']);
    return {
      key: KEY,
      body: `{"query":"{__typename}","${place}":{${times(count, (i) => `"${choose.chance(0.5) ? i : `n${i}`}":1`, ',')}}}`,
    };
  },

  'JSON numbers': (choose) => ({
    key: KEY,
    body: `{"query":"{__typename}","variables":{"a":${'9'.repeat(choose.size(LONG))}${choose.pick(['', 'e5', '.5'])}}}`,
  }),

  directives: (choose) => {
    const directive = choose.pick([
      '@skip(if: false)',
      '@include(if: true)',
      '@unknown',
      '@skip',
      '@deprecated',
    ]);
    return keyed(
      `{ ${times(choose.size(5), () => `__typename ${times(choose.size(400), () => directive)}`)} }`,
    );
  },

  'directives on fragments': (choose) =>
    keyed(
      `{ ...F } ${times(choose.size(90), (i) => `fragment ${i ? `F${i}` : 'F'} on Query ${times(choose.size(8), () => '@unknown(a: 1)')} { __typename }`)}`,
    ),

  'fragments in a chain': (choose) => {
    const count = choose.size(99);
    const names = times(choose.size(15), () => choose.pick(LEAVES));
    return keyed(
      `{ page(pageId: "f") { ...F0 } } ${times(count, (i) => `fragment F${i} on Page { ${names} ${i + 1 < count ? `...F${i + 1}` : 'name'} }`)}`,
    );
  },

  'fragments of fragments': (choose) => {
    const levels = choose.size(25);
    const spreads = choose.size(4);
    return keyed(
      `{ page(pageId: "f") { ...F0 } } ${times(levels, (i) => `fragment F${i} on Page { ${i + 1 < levels ? times(spreads, () => `...F${i + 1}`) : ''} ${choose.pick(LEAVES)} }`)}`,
    );
  },

  'fragments in circles': (choose) => {
    const count = choose.size(99);
    return keyed(
      `{ ...F0 } ${times(count, (i) => `fragment F${i} on Query { ${times(choose.size(8), () => `...F${choose.size(count) - 1}`)} }`)}`,
    );
  },

  'unspread fragments': (choose) => {
    const count = choose.size(90);
    const each = Math.max(1, Math.floor(1_900 / count) - 6);
    const leaf = choose.pick([
      'name ',
      'a: name b: title ',
      'audiences { nodes { id } } ',
      'nothing ',
    ]);
    const weight = leaf.split(/[ :]+/).length;
    return {
      query: `{ __typename } ${times(count, (i) => `fragment F${i} on Page { ${leaf.repeat(Math.max(1, each / weight))} }`)}`,
    };
  },

  'unspread fragments in circles': (choose) => {
    const count = choose.size(90);
    const spreads = choose.size(4);
    return {
      query: `{ __typename } ${times(count, (i) => `fragment F${i} on Page { ${times(spreads, (j) => `...F${(i + j * 7 + 1) % count}`)} name }`)}`,
    };
  },

  'conflicting fields': (choose) => {
    const levels = choose.size(6);
    const one = (i: number): string =>
      `${'a: audiences(first: 1) { nodes { page { '.repeat(levels)}x: ${choose.pick(LEAVES)} y${i}: name ${'} } } '.repeat(levels)}`;
    return keyed(`{ page(pageId: "m") { ${times(choose.size(49), one)} } }`);
  },

  'conflicts of types': (choose) =>
    keyed(
      `{ node(id: "x") { ${times(choose.size(150), (i) => `... on ${choose.pick(['Page', 'Topic', 'Person', 'Account', 'Audience'])} { a${i % choose.size(20)}: ${choose.pick(['id', 'createdAt', 'name'])} }`)} } }`,
    ),

  'conflicts among fragments': (choose) => {
    const count = choose.size(60);
    return keyed(
      `{ page(pageId: "m") { ${times(count, (i) => `...F${i}`)} } } ${times(count, (i) => `fragment F${i} on Page { ${times(choose.size(20), (j) => `a${j}: ${choose.pick(LEAVES)}`)} }`)}`,
    );
  },

  'long strings': (choose) => {
    const inside = choose.pick(['x', 'é', '\\u0041', '\\n', '𝒳', '%', '/', ' ']);
    const field = choose.pick([
      'searchPages(query: TEXT) { name }',
      'person(personId: TEXT) { name }',
      'node(id: TEXT) { id }',
      'accounts(query: TEXT) { nodes { name } }',
    ]);
    const text = inside.repeat(choose.size(LONG / (Buffer.byteLength(inside) + 1)));
    return keyed(`{ ${field.replace('TEXT', () => `"${text}"`)} }`);
  },

  'long strings in variables': (choose) => {
    const text = choose.pick(['x', 'é', '\n', 'a b ', '%2F']).repeat(choose.size(LONG / 4));
    const query = choose.pick([
      'query ($t: String) { searchPages(query: $t) { name } }',
      'query ($t: String) { topics(after: $t) { nodes { title } } }',
      'query ($t: String) { persons(after: $t) { nodes { name } } }',
    ]);
    return keyed(query, { variables: { t: text } });
  },

  'block strings': (choose) => {
    const line = choose.pick(['\n', '\n  x', `\n${' '.repeat(40)}x`, '\\"""', '""', 'x']);
    const text = line.repeat(
      Math.min(choose.size(LONG / (line.length + 1)), line.includes('\n') ? 1_990 : Infinity),
    );
    return keyed(`{ searchPages(query: """${text}""") { name } }`);
  },

  comments: (choose) => {
    const line = choose.pick(['#', '#x', `#${'x'.repeat(200)}`, ',', '\t', '\ufeff']);
    return keyed(
      `${line.startsWith('#') ? `${line}\n`.repeat(choose.size(1_990)) : line.repeat(choose.size(LONG / 3))}{ __typename }`,
    );
  },

  operations: (choose) => {
    const count = choose.size(50);
    const fields = times(choose.size(35), () =>
      choose.pick(['__typename', 'page(pageId: "o") { name }']),
    );
    return keyed(
      times(count, (i) => `query Q${i} { ${fields} }`),
      { operationName: 'Q0' },
    );
  },

  'unknown fields': (choose) => {
    const name = choose.pick([
      'nam',
      'audience',
      'x'.repeat(choose.size(190)),
      'pageLinkss',
      'effectiveNam',
    ]);
    return {
      query: `{ page(pageId: "u") { ${times(choose.size(1_900), (i) => `${name}${i}`)} } }`,
    };
  },

  'unknown fields in lists': (choose) => ({
    query: `{ ${times(choose.size(50), (i) => `persons(first: 1) { nodes { ${times(choose.size(35), (j) => `emai${i}${j}`)} } }`)} }`,
  }),

  'unknown arguments': (choose) => ({
    query: `{ persons(${times(choose.size(600), (i) => `firs${i}: 1`)}) { nodes { name } } }`,
  }),

  'unknown types': (choose) => ({
    query: `{ ${times(choose.size(300), (i) => `... on Pag${i} { name }`)} } ${times(choose.size(50), (i) => `fragment F${i} on Audienc${i} { name }`)}`,
  }),

  'unknown values': (choose) =>
    keyed(
      `mutation { ${times(choose.size(29), (i) => `a${i}: createPage(input: { pageType: ${choose.pick(['inboun', '1', '"x"'])} ${times(choose.size(15), (j) => `f${j}: 1`)} }) { page { id } }`)} }`,
    ),

  'undefined variables': (choose) => ({
    query: `{ ${times(choose.size(300), (i) => `persons(first: $v${i}) { nodes { name } }`)} }`,
  }),

  'deep input': (choose) => {
    const depth = choose.size(98);
    return keyed(
      `{ nodes(ids: ${'['.repeat(depth)}"x"${']'.repeat(depth)}) { id } ${times(choose.size(10), () => `node(id: ${'{a:'.repeat(choose.size(90))}1`)} }`,
    );
  },

  'wide input': (choose) =>
    keyed(
      `mutation { createPage(input: { ${choose.pick(['actions', 'footerLinks', 'nothing'])}: [${times(choose.size(400), () => choose.pick(['{}', '{purpose: "p"}', '{x: 1}', 'null']))}] }) { page { id } } }`,
    ),

  'many ids': (choose) => {
    const id = choose.pick([
      formatNodeId('Page', ['i']),
      'x',
      '',
      'A'.repeat(900),
      formatNodeId('Page', ['x'.repeat(500)]),
    ]);
    const count = Math.min(choose.size(4_900), Math.floor(LONG / (id.length + 3)));
    return keyed(
      `query ($ids: [ID!]!) { ${times(choose.size(29), (i) => `a${i}: nodes(ids: $ids) { id __typename }`)} }`,
      {
        variables: { ids: Array(count).fill(id) },
      },
    );
  },

  'distinct ids': (choose) =>
    keyed(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { name logs(first: 3) { nodes { type } } } } }',
      {
        variables: {
          ids: Array.from({ length: choose.size(100) }, (_, i) =>
            formatNodeId('Person', [`i${i}`]),
          ),
        },
      },
    ),

  'long ids': (choose) =>
    keyed('query ($id: ID!) { node(id: $id) { id } }', {
      variables: { id: formatNodeId('Page', ['x'.repeat(choose.size(60_000))]) },
    }),

  planned: (choose) => {
    const levels = choose.size(3);
    const fields = times(
      choose.size(8),
      (i) => `l${i}: links(first: ${choose.size(100)}) { nodes { path } }`,
    );
    return {
      query: `query ($ids: [ID!]!) { ${times(choose.size(29), (i) => `a${i}: nodes(ids: $ids) { ...F }`)} } fragment F on Page { ${nested(choose, levels, fields)} }`,
      variables: {
        ids: Array.from({ length: choose.size(100) }, (_, i) => formatNodeId('Page', [`${i}`])),
      },
      ...(choose.chance(0.5) && { key: KEY }),
      ...(choose.chance(0.3) && { key: KEY, headers: { 'x-explain': 'plan' } }),
    };
  },

  'planned fragments': (choose) => {
    const levels = choose.size(11);
    const spreads = choose.size(5);
    return {
      query: `query ($ids: [ID!]!) { ${times(choose.size(20), (i) => `a${i}: nodes(ids: $ids) { ...F0 }`)} } ${times(levels, (i) => `fragment F${i} on Page { ${i + 1 < levels ? times(spreads, () => `...F${i + 1}`) : ''} ${choose.pick(LISTS)} { nodes { __typename } } }`)}`,
      variables: {
        ids: Array.from({ length: choose.size(100) }, (_, i) => formatNodeId('Page', [`${i}`])),
      },
      headers: choose.chance(0.5) ? { 'x-explain': 'plan' } : {},
      ...(choose.chance(0.5) && { key: KEY }),
    };
  },

  'planned lists': (choose) =>
    keyed(
      `{ ${times(choose.size(12), (i) => `a${i}: accounts(first: 100) { nodes { ${times(choose.size(3), (j) => `p${j}: persons(first: 100) { nodes { logs(first: 100) { nodes { person { account { name } } } } } }`)} } }`)} }`,
      {
        headers: { 'x-explain': choose.pick(['plan', 'true']) },
      },
    ),

  introspection: (choose) => {
    const inner = (levels: number): string =>
      levels === 0
        ? 'name'
        : `${choose.pick(['name', 'name description', ''])} ${choose.pick(['fields { name type', 'fields { args { type', 'inputFields { type', 'possibleTypes', 'interfaces', 'ofType'])} { ${inner(levels - 1)} }`;
    const closed = (text: string): string => {
      const open = text.split('{').length - text.split('}').length;
      return text + ' }'.repeat(Math.max(0, open));
    };
    const one = closed(`types { ${inner(choose.size(6))}`);
    return { query: closed(`{ __schema { ${times(choose.size(3), (i) => `t${i}: ${one}`)}`) };
  },

  'introspection of everything': (choose) => ({
    query: `{ ${times(choose.size(30), (i) => `a${i}: __schema { types { ...FullType } }`)} } ${FULL_TYPE}`,
  }),

  types: (choose) => ({
    query: `{ ${times(choose.size(30), (i) => `a${i}: __type(name: "${choose.pick(['Page', 'Query', 'Nothing'])}") { fields { name args { name } type { name fields { name } } } }`)} }`,
  }),

  cursors: (choose) => {
    const cursor = Buffer.from('x'.repeat(choose.size(3_000))).toString('base64url');
    return keyed(
      `query ($c: String) { ${times(choose.size(29), (i) => `a${i}: topics(after: $c) { nodes { title } }`)} }`,
      { variables: { c: cursor } },
    );
  },

  'errors of many lookups': (choose) =>
    keyed(
      `query ($ids: [ID!]!) { ${times(choose.size(29), (i) => `a${i}: nodes(ids: $ids) { id ... on Page { links(first: ${choose.pick([101, -1, 5])}) { nodes { path } } } }`)} }`,
      {
        variables: { ids: Array(choose.size(100)).fill(formatNodeId('Page', ['e'])) },
      },
    ),
};

/** The request of a case; undefined when there is no such shape. */
export function caseOf(seed: number, name: string): Post | undefined {
  const [shape = '', number = ''] = name.split(':');
  return SHAPES[shape]?.(new Choices(randomFrom(hash(`${seed} ${shape} ${number}`))));
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 16_777_619);
  return value >>> 0;
}

export interface SearchReport {
  /** The most expensive cases, at most one of each shape. */
  readonly mostExpensive: readonly Found[];
  /** Cases with an unexpected error or no answer, at most one of each shape. */
  readonly broken: readonly Found[];
}

/** Searches for so long, and then measures the most expensive cases again. */
export async function search(
  meter: CostMeter,
  seed: number,
  seconds: number,
): Promise<SearchReport> {
  const beganMs = performance.now();
  const best = new Map<string, Found>();
  const broken = new Map<string, Found>();
  const numbers = new Map<string, number>();
  let tried = 0;

  const tryNext = async (shape: string): Promise<void> => {
    const number = numbers.get(shape) ?? 0;
    numbers.set(shape, number + 1);
    const name = `${shape}:${number}`;
    const post = caseOf(seed, name)!; // the shape is one of them
    const bytes = Buffer.byteLength(bodyOf(post));
    if (bytes > MAX_BYTES) return;
    const cost = await meter.measure(post);
    tried += 1;
    if (isBroken(cost)) broken.set(shape, { name, bytes, cost });
    const least = best.get(shape)?.cost.overMs ?? -Infinity;
    if (cost.overMs <= least) return;
    // Measured twice: code that is not compiled yet, or garbage collection, would look like its cost.
    const again = await meter.measure(renewed(post, tried));
    const steady = again.overMs < cost.overMs ? again : cost;
    if (steady.overMs > least) best.set(shape, { name, bytes, cost: steady });
  };

  const shapes = Object.keys(SHAPES);
  const spent = (): number => (performance.now() - beganMs) / 1_000 / seconds;
  for (let turn = 0; turn < shapes.length || spent() < 0.5; turn++) {
    await tryNext(shapes[turn % shapes.length]!);
  }
  const mostExpensive = (count: number): Found[] =>
    [...best.values()].toSorted((a, b) => b.cost.overMs - a.cost.overMs).slice(0, count);
  for (let turn = 0; spent() < 1; turn++) {
    const chosen = mostExpensive(PROMISING);
    await tryNext(chosen[turn % chosen.length]!.name.split(':')[0]!);
  }
  process.stderr.write(`${tried} documents of ${shapes.length} shapes were tried.\n`);

  const again: Found[] = [];
  for (const { name, bytes } of mostExpensive(SHOWN)) {
    const cost = await meter.measureBest(
      // The text changes each time, so that no cache helps.
      (turn) => renewed(caseOf(seed, name)!, turn),
      REPEATS,
    );
    again.push({ name, bytes, cost });
  }
  return {
    mostExpensive: again.toSorted((a, b) => b.cost.overMs - a.cost.overMs),
    broken: [...broken.values()],
  };
}

const renewed = (post: Post, turn: number): Post =>
  post.query === undefined ? post : { ...post, query: `${post.query} #${turn}` };
