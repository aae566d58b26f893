/**
 * Refusing documents that cost too much.
 *
 * Planning takes longer than executing many queries, so a document is planned before it runs only if it
 * could exceed the budget, which depends on the document alone and is worked out once.
 */
import {
  getOperationAST,
  GraphQLError,
  Kind,
  type DocumentNode,
  type ExecutionArgs,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, sumSelections } from '../execution/operation/collect-fields.ts';
import { coerceVariableValues } from '../execution/operation/variables.ts';
import { createContext, type Context } from '../graph/context.ts';
import { MAX_NODES } from '../graph/schema/node.ts';
import { capabilitiesWithout } from '../rest/client/route-capabilities.ts';
import { Journal } from '../rest/call/journal.ts';
import { extendedRoutes, type RouteSet } from '../v0/routes.ts';
import { Planner, type Budget, type Plan } from './planner.ts';

/** What is to be executed, with its variables as the caller sent them. */
export interface OperationArgs extends Pick<
  ExecutionArgs,
  'schema' | 'document' | 'operationName' | 'variableValues'
> {
  /** The operation of the document. @default the one of the name */
  readonly operation?: OperationDefinitionNode | undefined;
}

/** A context for planning alone: it knows which routes there are, and calls none. */
export function planningContext(routeSet: RouteSet): Context {
  const refuse = () => Promise.reject(new Error('A plan calls nothing.'));
  const client = {
    capabilities: capabilitiesWithout(new Set(routeSet === 'document' ? extendedRoutes : [])),
    journal: new Journal(),
    deadlineMs: Infinity,
    abort: () => {},
    deferWhere: () => {},
  };
  return createContext({ ...client, call: refuse, find: refuse }, {});
}

/**
 * An operation with what its selections are read by; undefined when there is no such operation or its variables
 * are wrong.
 */
export function readOperation({
  schema,
  document,
  operationName,
  operation = getOperationAST(document, operationName) ?? undefined,
  variableValues: sent,
}: OperationArgs) {
  const variableValues = operation && coerceVariableValues(schema, operation, sent).coerced;
  if (!variableValues) return undefined;
  return { operation, known: { schema, fragments: fragmentsOf(document), variableValues } };
}

/**
 * The plan of an operation; undefined when there is no such operation or its variables are wrong,
 * which execution will report.
 *
 * @param budget ends the plan as soon as it is surely spent.
 */
export function planFor(args: OperationArgs, context: Context, budget?: Budget): Plan | undefined {
  const read = readOperation(args);
  try {
    return read && new Planner(read.known, context, budget).plan(read.operation);
  } catch (error) {
    // The condition of a root field is null.
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

/**
 * Refuses an operation whose least cost is above the budget, before any call.
 *
 * @returns the refusal; undefined when the operation may run.
 */
export function refuseCost(
  args: OperationArgs,
  context: Context,
  budget: Budget,
): GraphQLError | undefined {
  const plan = planFor(args, context, budget);
  return plan && excessOf(plan, budget);
}

/** Whether no operation of a document can be refused. @param least the document's, as `leastCost` has it. */
export const isSurelyWithin = (least: Budget, budget: Budget): boolean =>
  least.calls <= budget.calls && least.values <= budget.values;

/** The refusal of a plan whose least cost is above the budget. */
export function excessOf(plan: Plan, budget: Budget): GraphQLError | undefined {
  const { calls, values, mostCalls, largestList } = plan;
  if (calls.least > budget.calls) {
    return tooExpensive(
      `This query needs at least ${calls.least} backend calls, and a request may make ${budget.calls}: ask for less at once. "${mostCalls}" costs most.`,
      { calls: calls.least, maxCalls: budget.calls, field: mostCalls },
    );
  }
  if (values.atLeast > budget.values) {
    return tooExpensive(
      `This query answers at least ${values.atLeast} values, and a request may be answered with ${budget.values}: ask for less at once. "${largestList}" multiplies most.`,
      { values: values.atLeast, maxValues: budget.values, field: largestList },
    );
  }
  return undefined;
}

/**
 * REST calls that an operation surely costs. What lies below lists of the backend may not exist, and is none of them.
 *
 * @param least the document's, as `leastCost` has it.
 */
export function certainCalls(args: OperationArgs, { calls }: Budget, context: Context): number {
  return calls <= 1 ? calls : (planFor(args, context)?.calls.least ?? 0);
}

const tooExpensive = (message: string, extensions: Readonly<Record<string, unknown>>) =>
  new GraphQLError(message, { extensions: { code: 'QUERY_TOO_EXPENSIVE', ...extensions } });

/**
 * A bound on what a document costs at least, whatever its variables: a value for each field, a call
 * for each field of objects, and as many as `nodes` takes for what is selected of its objects. What
 * lies below lists of the backend may not exist, and costs no call at least.
 */
export function leastCost(document: DocumentNode): Budget {
  const fragments = fragmentsOf(document);
  const known = new Map<SelectionSetNode, Budget>();
  return document.definitions
    .filter((one) => one.kind === Kind.OPERATION_DEFINITION)
    .map((one) => sumSelections(one.selectionSet, fragments, NOTHING, plus, leastOf, known))
    .reduce(plus, NOTHING);
}

/** Fields whose objects are selected for each item; with arguments, those that take the ids of objects. */
const LISTS = new Set(['nodes', 'edges', '_entities']);

const NOTHING: Budget = { calls: 0, values: 0 };

const plus = (a: Budget, b: Budget): Budget => ({
  calls: a.calls + b.calls,
  values: a.values + b.values,
});

function leastOf(selection: SelectionNode, below: Budget): Budget {
  if (selection.kind !== Kind.FIELD) return below;
  const { name, arguments: given = [], selectionSet } = selection;
  const isList = LISTS.has(name.value);
  // A connection's `nodes` takes no arguments.
  const isLookup = isList && given.length > 0;
  const times = isLookup ? MAX_NODES : 1;
  const isCalled = selectionSet !== undefined && (isLookup || !isList);
  return {
    calls: isCalled ? times * (1 + below.calls) : 0,
    values: 1 + times * (1 + below.values),
  };
}
