/**
 * Random valid queries against the schema, from a seed that a failure can print.
 *
 * Knows which raw ids exist, so that queries find something; everything else it reads off the
 * schema, so a new field or module is covered without a change here.
 */
import {
  getNamedType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

/** Limits for random queries: they are deeper and wider than callers may send. */
export const UNLIMITED = {
  tokens: 100_000,
  depth: 100,
  aliases: 10_000,
  directives: 10_000,
  repeats: 10_000,
};

export interface RandomQueryOptions {
  readonly schema: GraphQLSchema;
  /** Values for arguments by name: `{ pageId: ['page_northwind'] }`. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** @default 5 – levels of objects below the root */
  readonly depth?: number;
}

type AnyField = GraphQLField<unknown, unknown>;

export interface RandomQuery {
  readonly source: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A generator of numbers in [0, 1), the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function randomQuery(
  seed: number,
  { schema, values, depth = 5 }: RandomQueryOptions,
): RandomQuery {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const chance = (probability: number): boolean => random() < probability;
  const fragments: string[] = [];
  const variables: Record<string, unknown> = {};
  const declarations: string[] = [];
  let aliases = 0;
  let connections = 0;

  const root = schema.getQueryType()!;
  const fields = Object.values(root.getFields()).filter((field) => canCall(field));
  const chosen = Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(fields));
  const body = chosen.map((field) => `  r${aliases++}: ${writeField(field, depth)}`).join('\n');
  const head = declarations.length ? `(${declarations.join(', ')})` : '';
  return { source: [`query Random${head} {\n${body}\n}`, ...fragments].join('\n'), variables };

  function canCall(field: AnyField): boolean {
    return field.args.every(
      (arg) => !isNeeded(field, arg) || valuesFor(field, arg.name).length > 0,
    );
  }

  /** A lookup takes a global id or all raw ones: it is given the raw ones. */
  function isNeeded({ args }: AnyField, { name, type }: GraphQLArgument): boolean {
    const isLookup = args.some((arg) => arg.name === 'id' && !isNonNullType(arg.type));
    return isLookup ? name !== 'id' : isNonNullType(type);
  }

  function valuesFor(field: GraphQLField<unknown, unknown>, name: string): readonly string[] {
    return values[`${field.name}.${name}`] ?? values[name] ?? [];
  }

  function writeField(field: GraphQLField<unknown, unknown>, left: number): string {
    const type = getNamedType(field.type);
    const args = writeArguments(field);
    const directive = chance(0.06) ? writeDirective() : '';
    if (isLeafType(type)) return `${field.name}${args}${directive}`;
    return `${field.name}${args}${directive} ${writeSelection(type as GraphQLObjectType, left - 1)}`;
  }

  function writeArguments(field: GraphQLField<unknown, unknown>): string {
    const written = field.args.flatMap((arg) => {
      const { name, type } = arg;
      if (name === 'after' || name === 'before' || name === 'last') return [];
      if (name === 'first') {
        if (chance(0.15)) return [];
        const first = 1 + Math.floor(random() * 4);
        return [`first: ${chance(0.2) ? variable('Int', first) : first}`];
      }
      const known = valuesFor(field, name);
      const required = isNeeded(field, arg);
      if (!required && (known.length === 0 || chance(0.6))) {
        return !required && isBoolean(type) && chance(0.5)
          ? [`${name}: ${String(chance(0.5))}`]
          : [];
      }
      return [`${name}: ${writeValue(type, known)}`];
    });
    return written.length ? `(${written.join(', ')})` : '';
  }

  function writeValue(type: GraphQLInputType, known: readonly string[]): string {
    const bare = isNonNullType(type) ? type.ofType : type;
    if (isListType(bare)) {
      const many = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
        JSON.stringify(pick(known)),
      );
      return `[${many.join(', ')}]`;
    }
    if (isEnumType(bare)) return pick(bare.getValues()).name;
    const value = pick(known);
    return chance(0.3) ? variable(String(type), value) : JSON.stringify(value);
  }

  function variable(type: string, value: unknown): string {
    const name = `v${declarations.length}`;
    declarations.push(`$${name}: ${type}`);
    variables[name] = value;
    return `$${name}`;
  }

  function writeDirective(): string {
    const include = chance(0.5);
    const on = chance(0.5);
    return ` @${include ? 'include' : 'skip'}(if: ${chance(0.5) ? variable('Boolean!', on) : String(on)})`;
  }

  /** @param distinct with an alias for every field: types of one place may disagree about a name. */
  function writeSelection(type: GraphQLObjectType, left: number, distinct = false): string {
    if (isAbstractType(type)) {
      const members = schema.getPossibleTypes(type).filter(() => chance(0.5));
      const inner = members.map(
        (member) => `... on ${member.name} ${writeSelection(member, left, true)}`,
      );
      return `{ __typename id ${inner.join(' ')} }`;
    }
    const all = Object.values(type.getFields());
    const leaves = all.filter((field) => isLeafType(getNamedType(field.type)));
    const objects = all.filter((field) => !isLeafType(getNamedType(field.type)));
    const isPlumbing = /(Connection|Edge)$/.test(type.name);
    const some = leaves
      .filter(() => chance(isPlumbing ? 0.5 : 0.3))
      .map(({ name }) => (distinct ? `a${aliases++}: ${name}` : name));
    // Wide queries grow with every level; a connection or two is enough to meet every edge in time.
    const inner = objects
      .filter((field) => left > 0 && chance(isPlumbing ? 0.6 : 0.35) && roomFor(field))
      .map((field) => {
        const alias = distinct || chance(0.3) || field.args.length > 0 ? `a${aliases++}: ` : '';
        return `${alias}${writeField(field, left)}`;
      });
    const parts = [...some, ...inner];
    if (some.length > 0 && chance(0.15)) {
      parts.unshift(`... on ${type.name}${writeDirective()} { ${pick(some)} }`);
    }
    if (parts.length === 0) parts.push('__typename');
    const selection = `{ ${parts.join(' ')} }`;
    if (!chance(0.1)) return selection;
    const name = `F${fragments.length}`;
    fragments.push(`fragment ${name} on ${type.name} ${selection}`);
    // Once or twice, in one place or in two: executors must not take the second for the first.
    const again = chance(0.5) ? ` ...${name}${chance(0.5) ? writeDirective() : ''}` : '';
    return `{ ...${name}${chance(0.5) ? writeDirective() : ''} __typename${again} }`;
  }

  function roomFor(field: GraphQLField<unknown, unknown>): boolean {
    const named = getNamedType(field.type);
    if (!isObjectType(named) || !named.name.endsWith('Connection')) return true;
    return connections++ < 4;
  }
}

const isBoolean = (type: GraphQLInputType): boolean => String(type) === 'Boolean';
