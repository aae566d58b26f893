/**
 * Random schemas with resolvers, and operations on them, from a seed.
 *
 * Everything that a schema can do to an executor: interfaces and unions resolved in each of the
 * possible ways, lists of lists, enums with their own values, scalars that throw, methods,
 * getters, thenables, errors as values, and values of the wrong kind.
 */
import {
  getNullableType,
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  responsePathAsArray,
  type ExecutionArgs,
  type GraphQLFieldConfig,
  type GraphQLInputType,
  type GraphQLNullableType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
} from 'graphql';
import { randomFrom } from '../support/random-query.ts';

/** Fresh arguments, with new promises for each execution. */
export type MakeArgs = () => ExecutionArgs;

export interface World {
  readonly source: string;
  readonly makeArgs: MakeArgs;
}

/**
 * @param isAsync whether resolvers return promises.
 * @param objects of each type, of which every path holds one. @default one for each path
 * @param items that lists have fewer of.
 */
export function randomWorld(seed: number, isAsync: boolean, objects = Infinity, items = 4): World {
  const random = new Random(seed);
  const schema = randomSchema(random);
  const { source, variableValues } = randomOperation(random, schema);
  const document = parse(source);
  return {
    source: `${source} ${JSON.stringify(variableValues)}`,
    makeArgs: () => {
      const values = new Values(seed, isAsync, schema, objects, items);
      return {
        schema,
        document,
        variableValues,
        rootValue: values.sourceOf('Query', 'root'),
        contextValue: values,
        options: { maxCoercionErrors: 50 },
      };
    },
  };
}

class Random {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomFrom(seed);
  }

  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  some<Item>(most: number, make: (i: number) => Item): Item[] {
    return Array.from({ length: 1 + this.below(most) }, (_, i) => make(i));
  }
}

function hash(text: string): number {
  let sum = 2_166_136_261;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 16_777_619);
  return sum >>> 0;
}

const Moment = new GraphQLScalarType({
  name: 'Moment',
  serialize: (value) => {
    if (value === 'refused') {
      throw new GraphQLError('No moment.', { extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } });
    }
    if (value === 'broken') throw new Error('It broke.');
    if (value === 'nothing') return undefined;
    return value === 'many' ? { moments: [1, 'two', null] } : `moment ${String(value)}`;
  },
  parseValue: (value) => {
    if (value === 'wrong') throw new Error('No moment either.');
    return { moment: value };
  },
});

/** Internal values of every kind, one object twice among them. */
const RED = { name: 'red' };
const Colour = new GraphQLEnumType({
  name: 'Colour',
  values: { RED: { value: RED }, GREEN: { value: 2 }, BLUE: {}, NONE: { value: 0 } },
});

const LEAVES = [
  ...[GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID],
  ...[Moment, Colour],
];

/** The source value of a leaf: mostly one that fits its type. */
const LEAF_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  Int: [7, 0, -5, 2 ** 31, 1.5, '7', 'seven', '', true, Number.NaN, { valueOf: () => 3 }, []],
  Float: [1.5, 7, -0, 1e300, '2.5', '', false, Infinity, Number.NaN, {}],
  String: ['text', '', 'ünï "quoted"', 5, true, Number.NaN, { toJSON: () => 'json' }, {}, ['x']],
  Boolean: [true, false, 1, 0, 'no', Number.NaN, {}],
  ID: ['id', 5, 1.5, '', true, { toJSON: () => 'json' }, {}],
  Moment: [5, 'now', 'refused', 'broken', 'nothing', 'many', true],
  Colour: [RED, 2, 'BLUE', 0, 'GREEN', { name: 'red' }, 9],
};

type Composite = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType;

/** How the type of an abstract type's objects is resolved. */
const WAYS = ['resolveType', 'promised', 'isTypeOf', 'promisedIsTypeOf', 'typename'] as const;

function randomSchema(random: Random): GraphQLSchema {
  const input: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: 'Filter',
    fields: () => ({
      colour: { type: Colour, defaultValue: 2 },
      numbers: { type: new GraphQLList(new GraphQLNonNull(GraphQLInt)), defaultValue: [1, 2] },
      needed: { type: new GraphQLNonNull(GraphQLID), defaultValue: 'needed' },
      moment: { type: Moment },
      inner: { type: input },
    }),
  });
  const oneOf = new GraphQLInputObjectType({
    name: 'One',
    isOneOf: true,
    fields: { id: { type: GraphQLID }, number: { type: GraphQLInt } },
  });
  const inputs = [...LEAVES, input, oneOf];
  const way = random.pick(WAYS);
  const composites: Composite[] = [];

  const wrapped = <Type extends GraphQLNullableType>(type: Type): GraphQLOutputType => {
    let made: GraphQLOutputType = type as GraphQLOutputType;
    for (let depth = random.pick([0, 0, 0, 1, 1, 2]); depth > 0; depth--) {
      if (random.chance(0.3)) made = new GraphQLNonNull(getNullableType(made));
      made = new GraphQLList(made);
    }
    return random.chance(0.3) ? new GraphQLNonNull(getNullableType(made)) : made;
  };

  const randomArgument = () => {
    const named = random.pick(inputs);
    const isList = random.chance(0.25);
    const bare: GraphQLInputType = isList ? new GraphQLList(named) : named;
    const defaults: Record<string, unknown> = {
      Int: 4,
      String: 'by default',
      Filter: { needed: 'x' },
    };
    const found = defaults[named.name];
    const defaultValue = random.chance(0.4) ? (isList ? found && [found] : found) : undefined;
    return {
      type: random.chance(0.25) ? new GraphQLNonNull(bare) : bare,
      ...(defaultValue !== undefined && { defaultValue }),
    };
  };

  /** A field whose name begins with `r` has a resolver. */
  const randomField = (
    prefix: string,
    i: number,
  ): [string, GraphQLFieldConfig<unknown, Values>] => {
    const type = wrapped(random.chance(0.5) ? random.pick(LEAVES) : random.pick(composites));
    const hasArguments = random.chance(0.25);
    const hasResolver = random.chance(0.4);
    const args = Object.fromEntries(random.some(3, (a) => [`a${a}`, randomArgument()]));
    return [
      `${hasResolver ? 'r' : 'p'}${prefix}${i}`,
      {
        type,
        ...(hasArguments && { args }),
        ...(hasResolver && {
          resolve: (source, args, values, { path, fieldName }) =>
            values.at(type, values.placeOf(source, path, fieldName, JSON.stringify(args))),
        }),
      },
    ];
  };
  const randomFields = (prefix: string) =>
    Object.fromEntries(random.some(5, (i) => randomField(prefix, i)));

  const resolveType =
    way === 'resolveType' || way === 'promised'
      ? (value: unknown, values: Values) =>
          values.promised(way === 'promised', typeNameOf(value) as string)
      : undefined;
  const interfaces = random.some(2, (i) => {
    const fields: () => Record<string, GraphQLFieldConfig<unknown, Values>> = once(() =>
      randomFields(`I${i}`),
    );
    const type = new GraphQLInterfaceType({
      name: `I${i}`,
      fields: () => fields(),
      ...(resolveType && { resolveType }),
    });
    return { type, fields };
  });
  const objects = random.some(4, (i) => {
    const own = interfaces.filter(() => random.chance(0.6));
    const fields = once(() =>
      Object.assign({}, ...own.map((one) => one.fields()), randomFields(`O${i}`)),
    );
    const name = `O${i}`;
    const hasIsTypeOf = way === 'isTypeOf' || way === 'promisedIsTypeOf' || random.chance(0.2);
    return new GraphQLObjectType<unknown, Values>({
      name,
      interfaces: own.map(({ type }) => type),
      fields: () => fields() as Record<string, GraphQLFieldConfig<unknown, Values>>,
      ...(hasIsTypeOf && {
        isTypeOf: (value: unknown, values: Values) =>
          values.promised(way === 'promisedIsTypeOf', typeNameOf(value) === name),
      }),
    });
  });
  const union = new GraphQLUnionType({
    name: 'U',
    types: objects.filter((_, i) => i === 0 || random.chance(0.5)),
    ...(resolveType && { resolveType }),
  });
  composites.push(...objects, ...interfaces.map(({ type }) => type), union);
  const rootOf = (name: string) =>
    new GraphQLObjectType({ name, fields: once(() => randomFields(name)) as never });
  return new GraphQLSchema({
    query: rootOf('Query'),
    mutation: rootOf('Mutation'),
    types: objects,
  });
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

const typeNameOf = (value: unknown): unknown => (value as { is?: unknown } | null)?.is;

/** The value at a path, which the seed and the path decide, so that it is the same in each execution. */
class Values {
  readonly #seed: number;
  readonly #isAsync: boolean;
  readonly #schema: GraphQLSchema;
  readonly #objects: number;
  readonly #items: number;
  readonly #made = new Map<string, object>();
  readonly #names = new Map<unknown, string>();

  constructor(
    seed: number,
    isAsync: boolean,
    schema: GraphQLSchema,
    objects: number,
    items: number,
  ) {
    this.#seed = seed;
    this.#isAsync = isAsync;
    this.#schema = schema;
    this.#objects = objects;
    this.#items = items;
  }

  /** The place that decides a resolver's value: its path where objects are unlimited, and its object otherwise. */
  placeOf(source: unknown, path: GraphQLResolveInfo['path'], field: string, args: string): string {
    const ofObject = [this.#names.get(source) ?? 'broken', field];
    const place = this.#objects === Infinity ? responsePathAsArray(path) : ofObject;
    return [...place, args].join('.');
  }

  promised<Value>(isPromised: boolean, value: Value): Value | Promise<Value> {
    return this.#isAsync && isPromised ? Promise.resolve(value) : value;
  }

  /** @throws some failures; others are returned as the value. */
  at(type: GraphQLOutputType, path: string): unknown {
    const random = new Random(hash(`${this.#seed} ${path}`));
    const wait = random.next();
    const isThrown = random.chance(0.5);
    const make = () =>
      random.chance(0.07) ? this.#broken(random) : this.#sound(type, path, random);
    if (this.#isAsync && wait < 0.4) return promiseOf(make, wait);
    const value = make();
    if (value instanceof Error && isThrown) throw value;
    return value;
  }

  #broken(random: Random): unknown {
    return random.pick([
      ...[null, null, undefined, 5, 'text', {}],
      ...[new Error('It broke.'), new GraphQLError('It was refused.')],
    ]);
  }

  #sound(type: GraphQLOutputType, path: string, random: Random): unknown {
    if (isNonNullType(type)) return this.#sound(type.ofType, path, random);
    if (isListType(type)) return this.#list(type.ofType, path, random);
    if (isLeafType(type)) {
      const values = LEAF_VALUES[type.name]!;
      return random.chance(0.7) ? values[0] : random.pick(values);
    }
    if (isObjectType(type)) return this.sourceOf(type.name, path);
    const possible = this.#schema.getPossibleTypes(type);
    const names = possible.map(({ name }) => name);
    const isWrong = names.length === 0 || random.chance(0.05);
    return this.sourceOf(isWrong ? random.pick(['O0', 'I0', 'Nobody']) : random.pick(names), path);
  }

  #list(item: GraphQLOutputType, path: string, random: Random): unknown {
    const length = random.below(this.#items);
    const isLazy = random.chance(0.1);
    const makeItem = (i: number) => this.at(item, `${path}.${i}`);
    if (isLazy) {
      // A failure here fails the list.
      return (function* () {
        for (let i = 0; i < length; i++) yield makeItem(i);
      })();
    }
    const items = Array.from({ length }, (_, i) => {
      try {
        return makeItem(i);
      } catch (error) {
        return error;
      }
    });
    return random.chance(0.1) ? new Set(items) : items;
  }

  sourceOf(is: string, path: string): object {
    if (this.#objects === Infinity) return this.#make(is, path);
    const name = `${is}#${hash(path) % this.#objects}`;
    let object = this.#made.get(name);
    if (!object) {
      object = this.#make(is, name);
      this.#made.set(name, object);
      this.#names.set(object, name);
    }
    return object;
  }

  /** An object: of its fields, some are getters and some are methods. */
  #make(is: string, path: string): object {
    const type = this.#schema.getType(is);
    const source: Record<string, unknown> = { is, __typename: is };
    for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
      if (field.resolve) continue;
      const at = `${path}.${field.name}`;
      const isMethod = hash(at) % 4 === 0;
      const get = isMethod
        ? () => (args: object) => this.at(field.type, `${at}.${JSON.stringify(args)}`)
        : () => this.at(field.type, at);
      Object.defineProperty(source, field.name, { get });
    }
    return source;
  }
}

/** @param how as a promise, as it is, or as a thenable. */
function promiseOf(make: () => unknown, how: number): unknown {
  if (how < 0.15) {
    return new Promise((resolve) => {
      // Keep promises inside it from rejecting before they can be awaited.
      setImmediate(() => {
        resolve(settled(make()));
      });
    });
  }
  const promise = settled(make());
  if (how < 0.3) return promise;
  return { then: (...callbacks: Parameters<typeof promise.then>) => promise.then(...callbacks) };
}

const settled = (value: unknown): Promise<unknown> =>
  value instanceof Error ? Promise.reject(value) : Promise.resolve(value);

/** A valid operation, or one that only has wrong variables. */
function randomOperation(
  random: Random,
  schema: GraphQLSchema,
): { source: string; variableValues: Record<string, unknown> } {
  const declarations: string[] = [];
  const variableValues: Record<string, unknown> = {};
  const fragments: string[] = [];
  let aliases = 0;
  const isMutation = random.chance(0.2);
  const root = isMutation ? schema.getMutationType()! : schema.getQueryType()!;
  const body = writeSelection(root, 4);
  const head = declarations.length > 0 ? `(${declarations.join(' ')})` : '';
  const operation = `${isMutation ? 'mutation' : 'query'} Random${head} ${body}`;
  return { source: [operation, ...fragments].join('\n'), variableValues };

  function writeSelection(type: Composite, left: number): string {
    const parts: string[] = ['__typename'];
    const fields = 'getFields' in type ? Object.values(type.getFields()) : [];
    for (const field of fields) {
      const named = getNamedType(field.type);
      const isLeaf = isLeafType(named);
      if (!random.chance(isLeaf ? 0.7 : 0.6) || (!isLeaf && left === 0)) continue;
      const below = isLeaf ? '' : ` ${writeSelection(named as Composite, left - 1)}`;
      const args = field.args.flatMap(({ name, type, defaultValue }) => {
        const isNeeded = isNonNullType(type) && defaultValue === undefined;
        return isNeeded || random.chance(0.6) ? [`${name}: ${writeValue(type, true)}`] : [];
      });
      const written = args.length > 0 ? `(${args.join(' ')})` : '';
      parts.push(`a${aliases++}: ${field.name}${written}${writeDirective()}${below}`);
      // Repeat a key, so that its selections are merged.
      if (below && random.chance(0.15)) {
        parts.push(`a${aliases - 1}: ${field.name}${written} { again: __typename }`);
      }
    }
    if (left > 0) {
      for (const member of isAbstractType(type) ? schema.getPossibleTypes(type) : []) {
        if (!random.chance(0.6)) continue;
        parts.push(`... on ${member.name}${writeDirective()} ${writeSelection(member, left - 1)}`);
      }
    }
    const selection = `{ ${parts.join(' ')} }`;
    if (!random.chance(0.15)) return selection;
    const name = `F${fragments.length}`;
    fragments.push(`fragment ${name} on ${type.name} ${selection}`);
    return `{ ...${name}${writeDirective()} ...${name} }`;
  }

  function writeDirective(): string {
    if (!random.chance(0.1)) return '';
    const value = random.chance(0.5);
    const condition = random.chance(0.5)
      ? declare(new GraphQLNonNull(GraphQLBoolean), value)
      : value;
    return ` @${random.pick(['skip', 'include'])}(if: ${condition})`;
  }

  function declare(type: GraphQLInputType, value: unknown): string {
    const name = `v${declarations.length}`;
    const hasDefault = isNonNullType(type) === false && random.chance(0.2);
    declarations.push(`$${name}: ${String(type)}${hasDefault ? ' = null' : ''}`);
    if (isNonNullType(type) || random.chance(0.8)) variableValues[name] = value;
    return `$${name}`;
  }

  function writeValue(type: GraphQLInputType, canVary: boolean): string {
    if (canVary && random.chance(0.3)) return declare(type, randomInput(type));
    if (isNonNullType(type)) return writeValue(type.ofType, false);
    if (random.chance(0.1)) return 'null';
    if (isListType(type)) {
      const items = random.some(2, () => writeValue(type.ofType, canVary));
      return random.chance(0.2) ? items[0]! : `[${items.join(' ')}]`;
    }
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      const chosen = type.isOneOf ? [random.pick(fields)] : fields.filter(() => random.chance(0.4));
      const written = chosen.map(
        (field) => `${field.name}: ${type.isOneOf ? '5' : writeValue(field.type, canVary)}`,
      );
      return `{ ${written.join(' ')} }`;
    }
    return isEnumType(type) ? random.pick(type.getValues()).name : LITERALS[type.name]!;
  }

  function randomInput(type: GraphQLInputType): unknown {
    if (random.chance(0.02)) return random.pick([null, 1.5, 'text', [], {}, true]);
    if (isNonNullType(type)) return randomInput(type.ofType);
    if (random.chance(0.1)) return null;
    if (isListType(type)) return random.some(2, () => randomInput(type.ofType));
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      const chosen = type.isOneOf ? [random.pick(fields)] : fields.filter(() => random.chance(0.4));
      return Object.fromEntries(chosen.map((field) => [field.name, randomInput(field.type)]));
    }
    if (isEnumType(type)) return random.pick(type.getValues()).name;
    return JSON.parse(LITERALS[type.name]!) as unknown;
  }
}

const LITERALS: Readonly<Record<string, string>> = {
  Int: '5',
  Float: '1.5',
  String: '"text"',
  Boolean: 'true',
  ID: '"id"',
  Moment: '"now"',
};
