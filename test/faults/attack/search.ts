/**
 * Looks for the most expensive request of 100 KB: documents of many shapes and sizes, each asked alone
 * of an idle gateway.
 *
 * A case is a shape and a number; with the same seed it is the same request on every machine. Half of
 * the time goes to every shape alike, the other half to those that were dearest.
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
/** Shapes that are looked at longer, and how often their best case is measured at the end. */
const DEAREST_SHAPES = 8;
const REPEATS = 3;

/** What is drawn by lot, from a seed. */
class Lot {
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

  /** From 1 to `most`: close to it every other time, of any magnitude otherwise. */
  size(most: number): number {
    const random = this.#random();
    const size = this.chance(0.5) ? most * (0.6 + 0.4 * random) : Math.exp(random * Math.log(most));
    return Math.max(1, Math.round(size));
  }
}

type Shape = (lot: Lot) => Post;

const times = (count: number, text: (i: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(between);

const KEY = 'key-of-a-searcher';
const keyed = (query: string, rest: Partial<Post> = {}): Post => ({ query, key: KEY, ...rest });

/** A text of a JSON string's inside is at most as long. */
const LONG = 95_000;

const LEAVES = ['name', 'title', 'brandId', 'pageContext', 'pageType', 'status', 'createdAt', 'id'];
const LISTS = ['audiences', 'links'];

const FULL_TYPE = getIntrospectionQuery().replace(/^[^]*?(?=fragment FullType)/, '');

/** Objects below objects, as deep as asked; a page at its root. */
function nested(lot: Lot, depth: number, innermost: string): string {
  if (depth <= 0) return innermost;
  const edges = lot.pick(['nodes{page{', 'edges{cursor node{page{', 'nodes{__typename page{']);
  const open = `audiences(first:${lot.pick([1, 5, 20, 100])}){${edges}`;
  return `${open}${nested(lot, depth - 1, innermost)}${'}'.repeat(edges.split('{').length)}`;
}

const CREATE_PAGE =
  'mutation ($input: CreatePageInput!) { createPage(input: $input) { page { id } userErrors { code field message } } }';

/** Objects in objects. */
const tower = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : { a: tower(levels - 1, inner) };

const SHAPES: Readonly<Record<string, Shape>> = {
  wide: (lot) =>
    keyed(`{ page(pageId: "w") { ${times(lot.size(1_900), () => lot.pick(LEAVES))} } }`),

  'wide lists': (lot) =>
    keyed(
      `{ ${times(lot.size(30), (i) => `a${i}: page(pageId: "w${i}") { audiences(first: ${lot.size(100)}) { nodes { ${times(lot.size(40), () => lot.pick(['audienceId', 'status', 'createdAt', 'id', 'effectiveName']))} } } }`)} }`,
    ),

  deep: (lot) => {
    const depth = lot.size(95);
    return keyed(
      `{ page(pageId: "d") { ${'... on Page { '.repeat(depth)}${times(lot.size(50), () => lot.pick(LEAVES))}${' }'.repeat(depth)} } }`,
    );
  },

  cycles: (lot) =>
    keyed(
      `{ page(pageId: "c") { ${nested(
        lot,
        lot.size(3),
        times(lot.size(8), (i) => `f${i}: name`),
      )} } }`,
    ),

  'cycles under nodes': (lot) =>
    keyed(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Page { ${nested(
        lot,
        lot.size(3),
        times(lot.size(6), (i) => `f${i}: name`),
      )} } } }`,
      {
        variables: {
          ids: Array.from({ length: lot.size(100) }, () => formatNodeId('Page', ['c'])),
        },
      },
    ),

  'cycles of topics': (lot) => {
    const rounds = lot.size(3);
    const leaves = times(lot.size(5), (i) => `t${i}: title`);
    return keyed(
      `{ topics(first: 100) { nodes { ${'entries { nodes { topic { '.repeat(rounds)}${leaves}${' } } }'.repeat(rounds)} } } }`,
    );
  },

  aliases: (lot) => {
    const field = lot.pick(['page(pageId: "a") { NAMES }', 'node(id: "x") { id }', '__typename']);
    const names = times(lot.size(60), () => lot.pick(LEAVES));
    return keyed(`{ ${times(lot.size(30), (i) => `a${i}: ${field.replace('NAMES', names)}`)} }`);
  },

  variables: (lot) => {
    const count = lot.size(600);
    const type = lot.pick(['ID', 'Int', '[ID!]', 'Boolean! = true', 'UpdateTopicInput', 'Nothing']);
    const used = lot.chance(0.5) ? '(first: $v0)' : '';
    return keyed(
      `query (${times(count, (i) => `$v${i}: ${type}`)}) { persons${used} { nodes { name } } }`,
      {
        variables: Object.fromEntries(
          Array.from({ length: count }, (_, i) => [`v${i}`, lot.pick([1, 'x', null, [1], {}])]),
        ),
      },
    );
  },

  'variables used often': (lot) => {
    const count = lot.size(100);
    return keyed(
      `query ($v: Boolean!) { ${times(count, (i) => `...F${i}`)} } ${times(count, (i) => `fragment F${i} on Query { __typename @skip(if: $v) ...F${(i + 1 + lot.size(5)) % count} }`)}`,
      { variables: { v: true } },
    );
  },

  'large variables': (lot) => {
    const count = lot.size(4_900);
    const item = lot.pick<unknown>([{}, { purpose: 'p' }, { nothing: 1 }, null, 'text', [[]]]);
    const input = {
      [lot.pick(['actions', 'footerLinks', 'scripts', 'nothing'])]: Array(count).fill(item),
      name: 'n',
    };
    return keyed(CREATE_PAGE, { variables: { input } });
  },

  'wrong variables': (lot) =>
    keyed(CREATE_PAGE, {
      variables: {
        input: Object.fromEntries(
          Array.from({ length: lot.size(4_900) }, (_, i) => [
            lot.pick(['action', 'scrip', 'x']) + i,
            i,
          ]),
        ),
      },
    }),

  'deep variables': (lot) =>
    keyed(CREATE_PAGE, {
      variables: { input: tower(lot.size(40), Array(lot.size(4_000)).fill(0)) },
    }),

  'deep JSON': (lot) => {
    const depth = lot.size(45_000);
    const text = lot.pick([
      `${'['.repeat(depth)}${']'.repeat(depth)}`,
      `${'{"a":'.repeat(depth / 3)}1${'}'.repeat(depth / 3)}`,
    ]);
    const place = lot.pick(['variables', 'extensions', 'other']);
    return { key: KEY, body: `{"query":"{__typename}","${place}":${text}}` };
  },

  'JSON names': (lot) => {
    const count = lot.size(8_000);
    const place = lot.pick(['variables', 'extensions', 'other']);
    return {
      key: KEY,
      body: `{"query":"{__typename}","${place}":{${times(count, (i) => `"${lot.chance(0.5) ? i : `n${i}`}":1`, ',')}}}`,
    };
  },

  'JSON numbers': (lot) => ({
    key: KEY,
    body: `{"query":"{__typename}","variables":{"a":${'9'.repeat(lot.size(LONG))}${lot.pick(['', 'e5', '.5'])}}}`,
  }),

  directives: (lot) => {
    const directive = lot.pick([
      '@skip(if: false)',
      '@include(if: true)',
      '@unknown',
      '@skip',
      '@deprecated',
    ]);
    return keyed(
      `{ ${times(lot.size(5), () => `__typename ${times(lot.size(400), () => directive)}`)} }`,
    );
  },

  'directives on fragments': (lot) =>
    keyed(
      `{ ...F } ${times(lot.size(90), (i) => `fragment ${i ? `F${i}` : 'F'} on Query ${times(lot.size(8), () => '@unknown(a: 1)')} { __typename }`)}`,
    ),

  'fragments in a chain': (lot) => {
    const count = lot.size(99);
    const names = times(lot.size(15), () => lot.pick(LEAVES));
    return keyed(
      `{ page(pageId: "f") { ...F0 } } ${times(count, (i) => `fragment F${i} on Page { ${names} ${i + 1 < count ? `...F${i + 1}` : 'name'} }`)}`,
    );
  },

  'fragments of fragments': (lot) => {
    const levels = lot.size(25);
    const spreads = lot.size(4);
    return keyed(
      `{ page(pageId: "f") { ...F0 } } ${times(levels, (i) => `fragment F${i} on Page { ${i + 1 < levels ? times(spreads, () => `...F${i + 1}`) : ''} ${lot.pick(LEAVES)} }`)}`,
    );
  },

  'fragments in circles': (lot) => {
    const count = lot.size(99);
    return keyed(
      `{ ...F0 } ${times(count, (i) => `fragment F${i} on Query { ${times(lot.size(8), () => `...F${lot.size(count) - 1}`)} }`)}`,
    );
  },

  'unspread fragments': (lot) => {
    const count = lot.size(90);
    const each = Math.max(1, Math.floor(1_900 / count) - 6);
    const leaf = lot.pick([
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

  'unspread fragments in circles': (lot) => {
    const count = lot.size(90);
    const spreads = lot.size(4);
    return {
      query: `{ __typename } ${times(count, (i) => `fragment F${i} on Page { ${times(spreads, (j) => `...F${(i + j * 7 + 1) % count}`)} name }`)}`,
    };
  },

  'conflicting fields': (lot) => {
    const levels = lot.size(6);
    const one = (i: number): string =>
      `${'a: audiences(first: 1) { nodes { page { '.repeat(levels)}x: ${lot.pick(LEAVES)} y${i}: name ${'} } } '.repeat(levels)}`;
    return keyed(`{ page(pageId: "m") { ${times(lot.size(49), one)} } }`);
  },

  'conflicts of types': (lot) =>
    keyed(
      `{ node(id: "x") { ${times(lot.size(150), (i) => `... on ${lot.pick(['Page', 'Topic', 'Person', 'Account', 'Audience'])} { a${i % lot.size(20)}: ${lot.pick(['id', 'createdAt', 'name'])} }`)} } }`,
    ),

  'conflicts among fragments': (lot) => {
    const count = lot.size(60);
    return keyed(
      `{ page(pageId: "m") { ${times(count, (i) => `...F${i}`)} } } ${times(count, (i) => `fragment F${i} on Page { ${times(lot.size(20), (j) => `a${j}: ${lot.pick(LEAVES)}`)} }`)}`,
    );
  },

  'long strings': (lot) => {
    const inside = lot.pick(['x', 'é', '\\u0041', '\\n', '𝒳', '%', '/', ' ']);
    const field = lot.pick([
      'searchPages(query: TEXT) { name }',
      'person(personId: TEXT) { name }',
      'node(id: TEXT) { id }',
      'accounts(query: TEXT) { nodes { name } }',
    ]);
    const text = inside.repeat(lot.size(LONG / (Buffer.byteLength(inside) + 1)));
    return keyed(`{ ${field.replace('TEXT', () => `"${text}"`)} }`);
  },

  'long strings in variables': (lot) => {
    const text = lot.pick(['x', 'é', '\n', 'a b ', '%2F']).repeat(lot.size(LONG / 4));
    const query = lot.pick([
      'query ($t: String) { searchPages(query: $t) { name } }',
      'query ($t: String) { topics(after: $t) { nodes { title } } }',
      'query ($t: String) { persons(after: $t) { nodes { name } } }',
    ]);
    return keyed(query, { variables: { t: text } });
  },

  'block strings': (lot) => {
    const line = lot.pick(['\n', '\n  x', `\n${' '.repeat(40)}x`, '\\"""', '""', 'x']);
    const text = line.repeat(
      Math.min(lot.size(LONG / (line.length + 1)), line.includes('\n') ? 1_990 : Infinity),
    );
    return keyed(`{ searchPages(query: """${text}""") { name } }`);
  },

  comments: (lot) => {
    const line = lot.pick(['#', '#x', `#${'x'.repeat(200)}`, ',', '\t', '\ufeff']);
    return keyed(
      `${line.startsWith('#') ? `${line}\n`.repeat(lot.size(1_990)) : line.repeat(lot.size(LONG / 3))}{ __typename }`,
    );
  },

  operations: (lot) => {
    const count = lot.size(50);
    const fields = times(lot.size(35), () =>
      lot.pick(['__typename', 'page(pageId: "o") { name }']),
    );
    return keyed(
      times(count, (i) => `query Q${i} { ${fields} }`),
      { operationName: 'Q0' },
    );
  },

  'unknown fields': (lot) => {
    const name = lot.pick([
      'nam',
      'audience',
      'x'.repeat(lot.size(190)),
      'pageLinkss',
      'effectiveNam',
    ]);
    return { query: `{ page(pageId: "u") { ${times(lot.size(1_900), (i) => `${name}${i}`)} } }` };
  },

  'unknown fields in lists': (lot) => ({
    query: `{ ${times(lot.size(50), (i) => `persons(first: 1) { nodes { ${times(lot.size(35), (j) => `emai${i}${j}`)} } }`)} }`,
  }),

  'unknown arguments': (lot) => ({
    query: `{ persons(${times(lot.size(600), (i) => `firs${i}: 1`)}) { nodes { name } } }`,
  }),

  'unknown types': (lot) => ({
    query: `{ ${times(lot.size(300), (i) => `... on Pag${i} { name }`)} } ${times(lot.size(50), (i) => `fragment F${i} on Audienc${i} { name }`)}`,
  }),

  'unknown values': (lot) =>
    keyed(
      `mutation { ${times(lot.size(29), (i) => `a${i}: createPage(input: { pageType: ${lot.pick(['inboun', '1', '"x"'])} ${times(lot.size(15), (j) => `f${j}: 1`)} }) { page { id } }`)} }`,
    ),

  'undefined variables': (lot) => ({
    query: `{ ${times(lot.size(300), (i) => `persons(first: $v${i}) { nodes { name } }`)} }`,
  }),

  'deep input': (lot) => {
    const depth = lot.size(98);
    return keyed(
      `{ nodes(ids: ${'['.repeat(depth)}"x"${']'.repeat(depth)}) { id } ${times(lot.size(10), () => `node(id: ${'{a:'.repeat(lot.size(90))}1`)} }`,
    );
  },

  'wide input': (lot) =>
    keyed(
      `mutation { createPage(input: { ${lot.pick(['actions', 'footerLinks', 'nothing'])}: [${times(lot.size(400), () => lot.pick(['{}', '{purpose: "p"}', '{x: 1}', 'null']))}] }) { page { id } } }`,
    ),

  'many ids': (lot) => {
    const id = lot.pick([
      formatNodeId('Page', ['i']),
      'x',
      '',
      'A'.repeat(900),
      formatNodeId('Page', ['x'.repeat(500)]),
    ]);
    const count = Math.min(lot.size(4_900), Math.floor(LONG / (id.length + 3)));
    return keyed(
      `query ($ids: [ID!]!) { ${times(lot.size(29), (i) => `a${i}: nodes(ids: $ids) { id __typename }`)} }`,
      {
        variables: { ids: Array(count).fill(id) },
      },
    );
  },

  'distinct ids': (lot) =>
    keyed(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { name logs(first: 3) { nodes { type } } } } }',
      {
        variables: {
          ids: Array.from({ length: lot.size(100) }, (_, i) => formatNodeId('Person', [`i${i}`])),
        },
      },
    ),

  'long ids': (lot) =>
    keyed('query ($id: ID!) { node(id: $id) { id } }', {
      variables: { id: formatNodeId('Page', ['x'.repeat(lot.size(60_000))]) },
    }),

  planned: (lot) => {
    const levels = lot.size(3);
    const fields = times(
      lot.size(8),
      (i) => `l${i}: links(first: ${lot.size(100)}) { nodes { path } }`,
    );
    return {
      query: `query ($ids: [ID!]!) { ${times(lot.size(29), (i) => `a${i}: nodes(ids: $ids) { ...F }`)} } fragment F on Page { ${nested(lot, levels, fields)} }`,
      variables: {
        ids: Array.from({ length: lot.size(100) }, (_, i) => formatNodeId('Page', [`${i}`])),
      },
      ...(lot.chance(0.5) && { key: KEY }),
      ...(lot.chance(0.3) && { key: KEY, headers: { 'x-explain': 'plan' } }),
    };
  },

  'planned fragments': (lot) => {
    const levels = lot.size(11);
    const spreads = lot.size(5);
    return {
      query: `query ($ids: [ID!]!) { ${times(lot.size(20), (i) => `a${i}: nodes(ids: $ids) { ...F0 }`)} } ${times(levels, (i) => `fragment F${i} on Page { ${i + 1 < levels ? times(spreads, () => `...F${i + 1}`) : ''} ${lot.pick(LISTS)} { nodes { __typename } } }`)}`,
      variables: {
        ids: Array.from({ length: lot.size(100) }, (_, i) => formatNodeId('Page', [`${i}`])),
      },
      headers: lot.chance(0.5) ? { 'x-explain': 'plan' } : {},
      ...(lot.chance(0.5) && { key: KEY }),
    };
  },

  'planned lists': (lot) =>
    keyed(
      `{ ${times(lot.size(12), (i) => `a${i}: accounts(first: 100) { nodes { ${times(lot.size(3), (j) => `p${j}: persons(first: 100) { nodes { logs(first: 100) { nodes { person { account { name } } } } } }`)} } }`)} }`,
      {
        headers: { 'x-explain': lot.pick(['plan', 'true']) },
      },
    ),

  introspection: (lot) => {
    const inner = (levels: number): string =>
      levels === 0
        ? 'name'
        : `${lot.pick(['name', 'name description', ''])} ${lot.pick(['fields { name type', 'fields { args { type', 'inputFields { type', 'possibleTypes', 'interfaces', 'ofType'])} { ${inner(levels - 1)} }`;
    const closed = (text: string): string => {
      const open = text.split('{').length - text.split('}').length;
      return text + ' }'.repeat(Math.max(0, open));
    };
    const one = closed(`types { ${inner(lot.size(6))}`);
    return { query: closed(`{ __schema { ${times(lot.size(3), (i) => `t${i}: ${one}`)}`) };
  },

  'introspection of everything': (lot) => ({
    query: `{ ${times(lot.size(30), (i) => `a${i}: __schema { types { ...FullType } }`)} } ${FULL_TYPE}`,
  }),

  types: (lot) => ({
    query: `{ ${times(lot.size(30), (i) => `a${i}: __type(name: "${lot.pick(['Page', 'Query', 'Nothing'])}") { fields { name args { name } type { name fields { name } } } }`)} }`,
  }),

  cursors: (lot) => {
    const cursor = Buffer.from('x'.repeat(lot.size(3_000))).toString('base64url');
    return keyed(
      `query ($c: String) { ${times(lot.size(29), (i) => `a${i}: topics(after: $c) { nodes { title } }`)} }`,
      { variables: { c: cursor } },
    );
  },

  'errors of many lookups': (lot) =>
    keyed(
      `query ($ids: [ID!]!) { ${times(lot.size(29), (i) => `a${i}: nodes(ids: $ids) { id ... on Page { links(first: ${lot.pick([101, -1, 5])}) { nodes { path } } } }`)} }`,
      {
        variables: { ids: Array(lot.size(100)).fill(formatNodeId('Page', ['e'])) },
      },
    ),
};

/** The request of a case; undefined when there is no such shape. */
export function caseOf(seed: number, name: string): Post | undefined {
  const [shape = '', number = ''] = name.split(':');
  return SHAPES[shape]?.(new Lot(randomFrom(hash(`${seed} ${shape} ${number}`))));
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 16_777_619);
  return value >>> 0;
}

export interface SearchReport {
  /** The dearest, one a shape. */
  readonly dearest: readonly Found[];
  /** Answered as nothing may be: with an unexpected error, or not at all. One a shape. */
  readonly broken: readonly Found[];
}

/** Looks for so long, and then measures the dearest again. */
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

  const look = async (shape: string): Promise<void> => {
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
    // Code that runs for the first time, or a collection, is not to be taken for its request's cost.
    const again = await meter.measure(renewed(post, tried));
    const steady = again.overMs < cost.overMs ? again : cost;
    if (steady.overMs > least) best.set(shape, { name, bytes, cost: steady });
  };

  const shapes = Object.keys(SHAPES);
  const spent = (): number => (performance.now() - beganMs) / 1_000 / seconds;
  for (let turn = 0; turn < shapes.length || spent() < 0.5; turn++) {
    await look(shapes[turn % shapes.length]!);
  }
  const dearest = (count: number): Found[] =>
    [...best.values()].toSorted((a, b) => b.cost.overMs - a.cost.overMs).slice(0, count);
  for (let turn = 0; spent() < 1; turn++) {
    const chosen = dearest(DEAREST_SHAPES);
    await look(chosen[turn % chosen.length]!.name.split(':')[0]!);
  }
  process.stderr.write(`${tried} documents of ${shapes.length} shapes were tried.\n`);

  // A collection or another process may have fallen into the one time a case was measured.
  const again: Found[] = [];
  for (const { name, bytes } of dearest(SHOWN)) {
    const cost = await meter.measureBest(
      // Its text is another each time, so that nothing is known of it.
      (turn) => renewed(caseOf(seed, name)!, turn),
      REPEATS,
    );
    again.push({ name, bytes, cost });
  }
  return {
    dearest: again.toSorted((a, b) => b.cost.overMs - a.cost.overMs),
    broken: [...broken.values()],
  };
}

const renewed = (post: Post, turn: number): Post =>
  post.query === undefined ? post : { ...post, query: `${post.query} #${turn}` };
