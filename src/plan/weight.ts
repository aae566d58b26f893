/**
 * The weight of an operation: an estimate of its work and memory, in units of an ordinary lookup.
 *
 * Derived from the plan, which is made once per document, or once per size if variables affect the size of the result.
 * Plans use sample ids, so variables of one caller do not affect another.
 */
import type { DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { fragmentsOf } from '../execution/operation/collect-fields.ts';
import type { VariableValues } from '../execution/operation/variables.ts';
import type { Context } from '../graph/context.ts';
import { findEntity } from '../graph/entity/entity.ts';
import { MAX_FIRST } from '../graph/loading/page-request.ts';
import { readNodeId } from '../graph/types/node-id.ts';
import type { RouteCapabilities } from '../rest/client/route-capabilities.ts';
import { excessOf } from './cost.ts';
import { Planner, type Budget, type Unknown } from './planner.ts';
import { sampleIdOf, sampleOf, sampleVariables, variablesOf, type Variable } from './samples.ts';

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
  readonly rejection: GraphQLError | undefined;
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

export const weightOfBytes = (bytes: number): number => 1 + Math.floor(bytes / BYTES_PER_UNIT);

/** Cached weights of one operation, by the sizes of its variables. */
export class Weights {
  /** Route capabilities of the cached plans. */
  #capabilities: RouteCapabilities | undefined;
  /** Variables that affect the weight. */
  #deciding: readonly Variable[] = [];
  readonly #weighed = new Map<string, Weighed>();

  /** Returns undefined if the operation has to be planned. */
  find(variables: WeighedOperation['variables'], { rest }: Context): Weighed | undefined {
    if (this.#capabilities !== rest.capabilities) return undefined;
    return this.#weighed.get(keyOf(this.#deciding, variables));
  }

  /** Plans the operation, and caches its weight. */
  learn(given: WeighedOperation, context: Context, budget: Budget): Weighed {
    const { capabilities } = context.rest;
    const variables = variablesOf(given.schema, given.document, given.operation);
    if (this.#capabilities !== capabilities) {
      this.#capabilities = capabilities;
      this.#deciding = variables.filter(({ effect }) => effect !== undefined);
      this.#weighed.clear();
    }
    const weighed = weigh(given, variables, context, budget);
    const [oldest] = this.#weighed.keys();
    if (oldest !== undefined && this.#weighed.size >= MAX_PLANS) this.#weighed.delete(oldest);
    this.#weighed.set(keyOf(this.#deciding, given.variables), weighed);
    return weighed;
  }
}

/** The weight of an operation that execution rejects by its variables. */
const REJECTED = { weight: 1, rejection: undefined, isWithin: true, calls: 0 };

function weigh(
  { schema, document, operation, least, variables: sent }: WeighedOperation,
  variables: readonly Variable[],
  context: Context,
  budget: Budget,
): Weighed {
  const variableValues = sampleVariables(schema, operation, variables, samplerOf(sent));
  if (!variableValues) return { ...REJECTED, bytes: new ByteEstimate(0) };
  const known = { schema, fragments: fragmentsOf(document), variableValues };
  const plan = new Planner(known, context, budget, USUAL).plan(operation);
  const calls = Math.min(plan.calls.most, budget.calls);
  const values = Math.min(plan.values.atMost, budget.values);
  const excess = excessOf(plan, budget);
  return {
    weight: 1 + Math.floor(values / VALUES_PER_UNIT + calls / CALLS_PER_UNIT),
    bytes: new ByteEstimate(calls > 0 ? UNKNOWN_BYTES : 0),
    rejection: variables.length === 0 ? excess : undefined,
    isWithin:
      (least.calls <= budget.calls && least.values <= budget.values) ||
      (!excess && variables.every(isDistinct)),
    calls: mayBeEqual(variables) ? undefined : plan.calls.least,
  };
}

/** Types with distinct samples; conditions have the caller's values. Enums and inputs may be equal. */
const DISTINCT = new Set(['ID', 'String', 'Int', 'SafeInt', 'Boolean']);

const isDistinct = ({ typename, isCursor }: Variable): boolean =>
  DISTINCT.has(typename) && !isCursor;

/** Types that do not affect calls: samples of sizes and conditions are the caller's values. */
const OF_NO_CALL = new Set(['Int', 'SafeInt', 'Boolean']);

/** Whether callers' values may be equal where the samples differ, which costs fewer calls. */
function mayBeEqual(variables: readonly Variable[]): boolean {
  const ofCalls = variables.filter(
    ({ typename, isCursor }) => !OF_NO_CALL.has(typename) && !isCursor,
  );
  return ofCalls.length > 1 || ofCalls.some(({ effect }) => effect === 'list');
}

/** Returns what affects the plan of a variable's value, with sizes rounded up. */
function shapeOf({ effect }: Variable, value: unknown) {
  if (value === null || value === undefined) return value;
  if (effect === 'size') return sizeOf(value);
  if (effect === 'condition') return value === true;
  return effect === 'type' ? typeOf(value) : countsOf(value);
}

/** Cache key: equal for variables with the same samples. */
function keyOf(deciding: readonly Variable[], variables: WeighedOperation['variables']): string {
  let key = '';
  for (const variable of deciding) {
    const shape = shapeOf(variable, variables?.[variable.name]);
    key += `${typeof shape === 'object' ? JSON.stringify(shape) : shape},`;
  }
  return key;
}

/** Creates samples with distinct ids, of the sizes and types that a caller sent. */
function samplerOf(sent: WeighedOperation['variables']): (variable: Variable) => unknown {
  let count = 0;
  const newId = (typename = ''): string => {
    count += 1;
    return typename === '' ? `${count}` : sampleIdOf(typename, count);
  };
  return (variable) => {
    const { name, type, typename: named, effect, hasDefault } = variable;
    // Other variables always have a value, even if this caller sent none.
    if (!effect) return hasDefault ? undefined : sampleOf(type, newId());
    const shape = shapeOf(variable, sent?.[name]);
    if (typeof shape === 'string') return sampleOf(type, newId(shape));
    if (typeof shape !== 'object' || shape === null) return shape;
    // The sample of a list is a list of one item.
    return shape.flatMap(({ typename, count: length }) =>
      Array.from({ length }, () =>
        named === '_Any'
          ? { __typename: typename, id: newId(typename) }
          : sampleOf(type, newId(typename)),
      ).flat(),
    );
  };
}

const sizeOf = (value: unknown): number =>
  SIZES.find((size) => typeof value === 'number' && value <= size) ?? MAX_FIRST;

/** Returns the type of a global id or a representation; empty for other values. */
function typeOf(value: unknown): string {
  if (typeof value === 'string') return readNodeId(value)?.typename ?? '';
  if (typeof value !== 'object' || value === null || !('__typename' in value)) return '';
  const { __typename: name } = value;
  return typeof name === 'string' && findEntity(name) ? name : '';
}

/** Returns the types of ids in a list, sorted, with their counts rounded up to a size. */
function countsOf(value: unknown): readonly { typename: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const type = typeOf(item);
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts]
    .map(([typename, count]) => ({ typename, count: sizeOf(count) }))
    .sort((one, other) => (one.typename < other.typename ? -1 : 1));
}
