/**
 * The weight of an operation: how much work and memory it may take, in units of an ordinary lookup.
 *
 * It comes from the plan, which is made once for a document. Where variables decide how much is answered, it is made
 * for each size that they give, from sample ids: what one caller has sent decides nothing for the next one.
 */
import {
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  visit,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type TypeNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { fragmentsOf } from '../execution/operation/collect-fields.ts';
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

/** An operation that is about to be executed. */
export interface WeighedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Of its document, as `leastCost` has it. */
  readonly least: Budget;
  /** As the caller sent them. */
  readonly variables: VariableValues | null | undefined;
}

export interface Weighed {
  /** At least 1. */
  readonly weight: number;
  /** Why no values of its variables are within the budget. */
  readonly refusal: GraphQLError | undefined;
  /** Whether it is within the budget, whatever the values of its variables are. */
  readonly isWithin: boolean;
  /** REST calls that it surely costs; undefined where values of its variables may be equal, which costs fewer. */
  readonly calls: number | undefined;
}

/** Values of an answer that take as long as four lookups: some 0.4 ms. */
const VALUES_PER_UNIT = 500;

/** REST calls that do, beside the values which they bring. */
const CALLS_PER_UNIT = 8;

/** Bytes of an answer that waits to be sent. All units of the process are 100 MB of them. */
const BYTES_PER_UNIT = 200_000;

/** What stands for lengths that only the backend knows: such lists are short, or read to their end in few pages. */
const USUAL: Unknown = { items: 20, pages: 2, introspected: 20_000 };

/** Sizes for which one document is planned; any other is rounded up to the next of them. */
const SIZES = [0, 1, 5, 20, 50, MAX_FIRST];

/** Plans that are kept for one operation. */
const MAX_PLANS = 32;

/** What an answer of so many bytes weighs that is made and not sent yet. */
export const weightOfBytes = (bytes: number): number => 1 + Math.floor(bytes / BYTES_PER_UNIT);

/** A variable that may decide how much is answered. */
interface Deciding {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly kind: 'number' | 'condition' | 'id' | 'list';
}

/** What is known of the weights of one operation: by what its variables give, where they decide. */
export class Weights {
  /** The routes that it was planned with. */
  #capabilities: RouteCapabilities | undefined;
  #deciding: readonly Deciding[] = [];
  /** Where no variable decides. */
  #only: Weighed | undefined;
  #byVariables: LRUCache<string, Weighed> | undefined;

  /** Undefined where the operation has to be planned first. */
  find(variables: WeighedOperation['variables'], { rest }: Context): Weighed | undefined {
    if (this.#capabilities !== rest.capabilities) return undefined;
    return this.#byVariables?.get(keyOf(this.#deciding, variables)) ?? this.#only;
  }

  /** Plans the operation, and keeps what came out. */
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

/** What execution refuses by its variables. */
const REFUSED: Weighed = { weight: 1, refusal: undefined, isWithin: true, calls: 0 };

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
  if (!sampled) return REFUSED;
  // A sample is no cursor, and a list that is asked for by a wrong one costs nothing.
  const variableValues = dictionary(Object.entries(sampled).filter(([name]) => !cursors.has(name)));
  const known = { schema, fragments: fragmentsOf(document), variableValues };
  const plan = new Planner(known, context, budget, undefined, USUAL).plan(operation);
  const [calls, values] = [
    Math.min(plan.calls.most, budget.calls),
    Math.min(plan.values.atMost, budget.values),
  ];
  const { variableDefinitions = [] } = operation;
  const excess = excessOf(plan, budget);
  return {
    weight: 1 + Math.floor(values / VALUES_PER_UNIT + calls / CALLS_PER_UNIT),
    refusal: variableDefinitions.length === 0 ? excess : undefined,
    // Cursors, enums and inputs may be equal or not, as ids may; these have samples that differ.
    isWithin:
      isSurelyWithin(least, budget) ||
      (!excess && (variableDefinitions.length === 0 || areSampled(operation, cursors))),
    calls: mayBeEqual(operation, cursors) ? undefined : plan.calls.least,
  };
}

/** Types whose values are sampled so that no two are equal; a condition is the caller's own. */
const SAMPLED = new Set(['ID', 'String', 'Int', 'SafeInt', 'Boolean']);

const areSampled = (
  { variableDefinitions = [] }: OperationDefinitionNode,
  cursors: ReadonlySet<string>,
): boolean =>
  variableDefinitions.every(
    ({ type, variable }) => SAMPLED.has(namedTypeOf(type)) && !cursors.has(variable.name.value),
  );

/** Types whose values no call depends on: sizes and conditions are the caller's own in a sample. */
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

/** Fields that take ids of any type: what is selected of their objects depends on it. */
const BY_ANY_ID = new Set(['node', 'nodes', '_entities']);

/** Variables on which the number of calls and values may depend. */
function decidingOf({ schema, document, operation }: WeighedOperation): Deciding[] {
  let takesAnyId = false;
  visit(document, {
    Field: ({ name }) => {
      takesAnyId ||= BY_ANY_ID.has(name.value);
    },
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

/** Names of the variables that say where a list goes on. */
function cursorsOf(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>();
  visit(document, {
    Argument: ({ name, value }) => {
      if (value.kind !== Kind.VARIABLE) return;
      if (name.value === 'after' || name.value === 'before') names.add(value.name.value);
    },
  });
  return names;
}

/** Equal where the same samples stand for the variables. */
function keyOf(deciding: readonly Deciding[], variables: WeighedOperation['variables']): string {
  let key = '';
  for (const { name, kind } of deciding) {
    const value = variables?.[name];
    if (value == null) key += `${value === null ? 'null' : ''},`;
    else if (kind === 'number') key += `${sizeOf(value)},`;
    else if (kind === 'condition') key += `${value === true},`;
    else if (kind === 'id') key += `${typeOf(value) ?? ''},`;
    else key += `${countsOf(value).join(' ')},`;
  }
  return key;
}

const sizeOf = (value: unknown): number =>
  SIZES.find((size) => typeof value === 'number' && value <= size) ?? MAX_FIRST;

/** The type that a global id names, or a representation; undefined for any other value. */
function typeOf(value: unknown): string | undefined {
  if (typeof value === 'string') return readNodeId(value)?.typename;
  if (typeof value !== 'object' || value === null || !('__typename' in value)) return undefined;
  return typeof value.__typename === 'string' && findEntity(value.__typename)
    ? value.__typename
    : undefined;
}

/** Of each type that a list has ids of: its name and how many, rounded up. */
function countsOf(value: unknown): readonly string[] {
  const counts = new Map<string, number>();
  for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const type = typeOf(item) ?? '';
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts].map(([type, count]) => `${type}:${sizeOf(count)}`).sort();
}

/** Variables as a caller could have sent them, with ids of which no two are equal. */
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
    // What decides nothing has a value, whether this caller has sent one or not.
    if (kind ? value === undefined : defaultValue) continue;
    if (kind && value === null) samples[name] = null;
    else if (kind === 'number') samples[name] = sizeOf(value);
    else if (kind === 'condition') samples[name] = value === true;
    else if (kind === 'list') {
      const isOfObjects = namedTypeOf(node) === '_Any';
      samples[name] = countsOf(value).flatMap((one) => {
        const [typename = '', length] = one.split(':');
        return Array.from({ length: Number(length) }, () => {
          const id = idOf(typename);
          return isOfObjects ? { __typename: typename, id } : sampleOfItem(type, id);
        });
      });
    } else {
      const id = idOf((kind === 'id' && typeOf(value)) || '');
      samples[name] = namedTypeOf(node) === 'String' ? id : sampleOf(type, id);
    }
  }
  return samples;
}

/** A value of the items of a list. */
function sampleOfItem(type: GraphQLInputType, id: string): unknown {
  const list = isNonNullType(type) ? type.ofType : type;
  return isListType(list) ? sampleOf(list.ofType, id) : id;
}
