/**
 * The weight of an operation: an estimate of its work and memory, in units of an ordinary lookup.
 *
 * Derived from the plan, which is made once per document, or once per size if variables affect the size of the result.
 * Plans use sample ids, so variables of one caller do not affect another.
 */
import {
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type TypeNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { eachSelection, fragmentsOf } from '../execution/operation/collect-fields.ts';
import { coerceVariableValues, type VariableValues } from '../execution/operation/variables.ts';
import type { Context } from '../graph/context.ts';
import { findEntity } from '../graph/entity/entity.ts';
import { MAX_FIRST } from '../graph/loading/page-request.ts';
import { formatNodeId, readNodeId } from '../graph/types/node-id.ts';
import { dictionary } from '../lib/dictionary.ts';
import type { RouteCapabilities } from '../rest/client/route-capabilities.ts';
import { excessOf, isSurelyWithin } from './cost.ts';
import { Planner, type Budget, type Unknown } from './planner.ts';
import { sampleOf } from './price.ts';

/** An operation before its execution. */
export interface WeighedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** `leastCost` of its document. */
  readonly least: Budget;
  /** Variables as sent by the caller. */
  readonly variables: VariableValues | null | undefined;
}

export interface Weighed {
  /** At least 1. */
  readonly weight: number;
  /** Bytes that it returned before. */
  readonly bytes: ByteEstimate;
  /** The error of an operation that exceeds the budget for all variables. */
  readonly refusal: GraphQLError | undefined;
  /** Whether it is within the budget for all variables. */
  readonly isWithin: boolean;
  /** Lower bound of REST calls; undefined if variables may have equal values, which cost fewer. */
  readonly calls: number | undefined;
}

/** Values of a result that take as long as four lookups: some 0.4 ms. */
export const VALUES_PER_UNIT = 500;

/** REST calls that take as long, without the values that they return. */
export const CALLS_PER_UNIT = 8;

/** Bytes of an unsent response per unit; all units of the process are 100 MB. */
export const BYTES_PER_UNIT = 200_000;

/** Assumptions about unknown sizes: such lists are short, or have few pages. */
export const USUAL: Unknown = { items: 20, pages: 2, introspected: 20_000 };

/** Sizes for which a document is planned; others are rounded up. */
const SIZES = [0, 1, 5, 20, 50, MAX_FIRST];

/** Maximum number of cached plans of an operation. */
const MAX_PLANS = 32;

/** Assumed size of operations with calls that have not run, in bytes. */
export const UNKNOWN_BYTES = 2_000_000;

/**
 * Estimates bytes by earlier ones: their mean and twice their mean deviation. Source: RFC 6298, "Computing TCP's
 * Retransmission Timer".
 */
export class ByteEstimate {
  readonly #initial: number;
  #mean: number | undefined;
  #deviation = 0;

  constructor(initial: number) {
    this.#initial = initial;
  }

  get bytes(): number {
    return this.#mean === undefined ? this.#initial : this.#mean + 2 * this.#deviation;
  }

  learn(bytes: number): void {
    const error = bytes - (this.#mean ?? bytes);
    this.#mean = (this.#mean ?? bytes) + error / 8;
    this.#deviation += (Math.abs(error) - this.#deviation) / 4;
  }
}

/** Returns the weight of bytes, received or unsent. */
export const weightOfBytes = (bytes: number): number => 1 + Math.floor(bytes / BYTES_PER_UNIT);

/** A variable that may affect the size of the result. */
interface Deciding {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly kind: 'number' | 'condition' | 'id' | 'list';
}

/** Cached weights of one operation, by the sizes of its variables. */
export class Weights {
  /** Route capabilities of the cached plans. */
  #capabilities: RouteCapabilities | undefined;
  #deciding: readonly Deciding[] = [];
  /** The weight, if no variable affects it. */
  #only: Weighed | undefined;
  #byVariables: LRUCache<string, Weighed> | undefined;

  /** Returns undefined if the operation has to be planned. */
  find(variables: WeighedOperation['variables'], { rest }: Context): Weighed | undefined {
    if (this.#capabilities !== rest.capabilities) return undefined;
    return this.#byVariables?.get(keyOf(this.#deciding, variables)) ?? this.#only;
  }

  /** Plans the operation, and caches its weight. */
  learn(given: WeighedOperation, context: Context, budget: Budget): Weighed {
    const { capabilities } = context.rest;
    if (this.#capabilities !== capabilities) {
      this.#capabilities = capabilities;
      this.#deciding = decidingOf(given);
      this.#byVariables =
        this.#deciding.length > 0 ? new LRUCache<string, Weighed>({ max: MAX_PLANS }) : undefined;
      this.#only = undefined;
    }
    const weighed = weigh(given, this.#deciding, context, budget);
    if (this.#byVariables) this.#byVariables.set(keyOf(this.#deciding, given.variables), weighed);
    else this.#only = weighed;
    return weighed;
  }
}

/** The weight of an operation that execution rejects by its variables. */
const REFUSED = { weight: 1, refusal: undefined, isWithin: true, calls: 0 };

function weigh(
  { schema, document, operation, least, variables }: WeighedOperation,
  deciding: readonly Deciding[],
  context: Context,
  budget: Budget,
): Weighed {
  const cursors = cursorsOf(document);
  const { coerced: sampled } = coerceVariableValues(
    schema,
    operation,
    samplesOf(schema, operation, deciding, variables),
  );
  if (!sampled) return { ...REFUSED, bytes: new ByteEstimate(0) };
  // Cursors have no samples: a list with an invalid cursor costs nothing.
  const variableValues = dictionary(Object.entries(sampled).filter(([name]) => !cursors.has(name)));
  const known = { schema, fragments: fragmentsOf(document), variableValues };
  const plan = new Planner(known, context, budget, USUAL).plan(operation);
  const [calls, values] = [
    Math.min(plan.calls.most, budget.calls),
    Math.min(plan.values.atMost, budget.values),
  ];
  const { variableDefinitions = [] } = operation;
  const excess = excessOf(plan, budget);
  return {
    weight: 1 + Math.floor(values / VALUES_PER_UNIT + calls / CALLS_PER_UNIT),
    bytes: new ByteEstimate(calls > 0 ? UNKNOWN_BYTES : 0),
    refusal: variableDefinitions.length === 0 ? excess : undefined,
    // Ids, cursors, enums and inputs may be equal; samples of these types differ.
    isWithin:
      isSurelyWithin(least, budget) ||
      (!excess && (variableDefinitions.length === 0 || areSampled(operation, cursors))),
    calls: mayBeEqual(operation, cursors) ? undefined : plan.calls.least,
  };
}

/** Types with distinct samples; conditions have the caller's values. */
const SAMPLED = new Set(['ID', 'String', 'Int', 'SafeInt', 'Boolean']);

const areSampled = (
  { variableDefinitions = [] }: OperationDefinitionNode,
  cursors: ReadonlySet<string>,
): boolean =>
  variableDefinitions.every(
    ({ type, variable }) => SAMPLED.has(namedTypeOf(type)) && !cursors.has(variable.name.value),
  );

/** Types that do not affect calls: samples of sizes and conditions are the caller's values. */
const OF_NO_CALL = new Set(['Int', 'SafeInt', 'Boolean']);

const mayBeEqual = (
  { variableDefinitions = [] }: OperationDefinitionNode,
  cursors: ReadonlySet<string>,
): boolean => {
  const deciding = variableDefinitions.filter(
    ({ type, variable }) => !OF_NO_CALL.has(namedTypeOf(type)) && !cursors.has(variable.name.value),
  );
  return deciding.length > 1 || deciding.some(({ type }) => isList(type));
};

const isList = (type: TypeNode): boolean =>
  type.kind === Kind.LIST_TYPE || (type.kind === Kind.NON_NULL_TYPE && isList(type.type));

function namedTypeOf(type: NonNullable<OperationDefinitionNode['variableDefinitions']>[0]['type']) {
  let named = type;
  while (named.kind !== Kind.NAMED_TYPE) named = named.type;
  return named.name.value;
}

/** Fields with ids of any type, which determine the selection. */
const BY_ANY_ID = new Set(['node', 'nodes', '_entities']);

/** Returns the variables that may affect the number of calls and values. */
function decidingOf({ schema, document, operation }: WeighedOperation): Deciding[] {
  let takesAnyId = false;
  eachSelection(document, (one) => {
    takesAnyId ||= one.kind === Kind.FIELD && BY_ANY_ID.has(one.name.value);
  });
  return (operation.variableDefinitions ?? []).flatMap(({ variable, type: node }) => {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    if (!isInputType(type)) return [];
    const nullable = isNonNullType(type) ? type.ofType : type;
    if (isListType(nullable)) return { name, type, kind: 'list' as const };
    const named = namedTypeOf(node);
    if (named === 'Int') return { name, type, kind: 'number' as const };
    if (named === 'Boolean') return { name, type, kind: 'condition' as const };
    return named === 'ID' && takesAnyId ? { name, type, kind: 'id' as const } : [];
  });
}

/** Returns the names of variables used as cursors. */
function cursorsOf(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>();
  eachSelection(document, (one) => {
    if (one.kind !== Kind.FIELD) return;
    for (const { name, value } of one.arguments ?? []) {
      if (value.kind !== Kind.VARIABLE) continue;
      if (name.value === 'after' || name.value === 'before') names.add(value.name.value);
    }
  });
  return names;
}

/** Cache key: equal for variables with the same samples. */
function keyOf(deciding: readonly Deciding[], variables: WeighedOperation['variables']): string {
  let key = '';
  for (const { name, kind } of deciding) {
    const value = variables?.[name];
    if (value == null) key += `${value === null ? 'null' : ''},`;
    else if (kind === 'number') key += `${sizeOf(value)},`;
    else if (kind === 'condition') key += `${value === true},`;
    else if (kind === 'id') key += `${typeOf(value) ?? ''},`;
    else for (const { typename, count } of countsOf(value)) key += `${typename}:${count},`;
  }
  return key;
}

const sizeOf = (value: unknown): number =>
  SIZES.find((size) => typeof value === 'number' && value <= size) ?? MAX_FIRST;

/** Returns the type of a global id or a representation; undefined for other values. */
function typeOf(value: unknown): string | undefined {
  if (typeof value === 'string') return readNodeId(value)?.typename;
  if (typeof value !== 'object' || value === null || !('__typename' in value)) return undefined;
  return typeof value.__typename === 'string' && findEntity(value.__typename)
    ? value.__typename
    : undefined;
}

/** Ids of one type in a list. */
interface IdCount {
  /** Empty for other values. */
  readonly typename: string;
  /** Rounded up to a size. */
  readonly count: number;
}

/** Returns the types of ids in a list with their counts, sorted by type. */
function countsOf(value: unknown): readonly IdCount[] {
  const counts = new Map<string, number>();
  for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const type = typeOf(item) ?? '';
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts]
    .map(([typename, count]) => ({ typename, count: sizeOf(count) }))
    .sort((one, other) => (one.typename < other.typename ? -1 : 1));
}

/** Returns sample variables with distinct ids. */
function samplesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  deciding: readonly Deciding[],
  variables: WeighedOperation['variables'],
): VariableValues {
  let count = 0;
  const idOf = (typename: string): string => {
    count += 1;
    const parts = findEntity(typename)?.key ?? [''];
    return typename
      ? formatNodeId(
          typename,
          parts.map((_, i) => `${count}-${i}`),
        )
      : `${count}`;
  };
  const samples: Record<string, unknown> = {};
  for (const { variable, type: node, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    const value = variables?.[name];
    const type = typeFromAST(schema, node);
    const kind = deciding.find((one) => one.name === name)?.kind;
    if (!isInputType(type)) continue;
    // Other variables always have a value, even if this caller sent none.
    if (kind ? value === undefined : defaultValue) continue;
    if (kind && value === null) samples[name] = null;
    else if (kind === 'number') samples[name] = sizeOf(value);
    else if (kind === 'condition') samples[name] = value === true;
    else if (kind === 'list') {
      const isOfObjects = namedTypeOf(node) === '_Any';
      samples[name] = countsOf(value).flatMap(({ typename, count: length }) =>
        Array.from({ length }, () => {
          const id = idOf(typename);
          return isOfObjects ? { __typename: typename, id } : sampleOfItem(type, id);
        }),
      );
    } else {
      const id = idOf((kind === 'id' && typeOf(value)) || '');
      samples[name] = namedTypeOf(node) === 'String' ? id : sampleOf(type, id);
    }
  }
  return samples;
}

/** Returns a sample of a list's items. */
function sampleOfItem(type: GraphQLInputType, id: string): unknown {
  const list = isNonNullType(type) ? type.ofType : type;
  return isListType(list) ? sampleOf(list.ofType, id) : id;
}
