/**
 * Rejection of operations that exceed the budget.
 *
 * Planning takes longer than executing many queries, so only operations of documents that can exceed the budget are
 * planned. This is computed once per document.
 */
import {
  getLocation,
  getOperationAST,
  GraphQLError,
  Kind,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, sumSelections } from '../execution/operation/collect-fields.ts';
import { deferOf } from '../execution/operation/defer-and-stream.ts';
import { coerceVariableValues } from '../execution/operation/variables.ts';
import { createContext, type Context } from '../graph/context.ts';
import { MAX_NODES } from '../graph/schema/node.ts';
import { capabilitiesWithout } from '../rest/client/route-capabilities.ts';
import { CallLog } from '../rest/call/call-log.ts';
import { extendedRoutes, type RouteSet } from '../v0/routes.ts';
import type { Plan } from './account.ts';
import { Planner, type Budget } from './planner.ts';

/** An operation with its variables as sent by the caller. */
export interface OperationArgs extends Pick<
  ExecutionArgs,
  'schema' | 'document' | 'operationName' | 'variableValues'
> {
  /** The operation of the document. @default by `operationName` */
  readonly operation?: OperationDefinitionNode | undefined;
}

/** A context for planning, which makes no calls. */
export function planningContext(routeSet: RouteSet): Context {
  const reject = () => Promise.reject(new Error('Plans make no calls.'));
  const client = {
    capabilities: capabilitiesWithout(new Set(routeSet === 'document' ? extendedRoutes : [])),
    callLog: new CallLog(),
    deadlineMs: Infinity,
    abort: () => {},
    deferWhere: () => {},
  };
  return createContext({ ...client, call: reject, find: reject, makeCall: reject }, {});
}

/**
 * Returns an operation with the context of its selections; undefined for an unknown operation or invalid variables.
 */
function readOperation({
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
 * Plans an operation. Returns undefined for an unknown operation or invalid variables, which execution will report.
 *
 * @param budget ends the plan as soon as it is exceeded.
 */
export function planFor(args: OperationArgs, context: Context, budget?: Budget): Plan | undefined {
  const read = readOperation(args);
  try {
    return read && new Planner(read.known, context, budget).plan(read.operation);
  } catch (error) {
    // A condition of a root field is null.
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

/**
 * Plans the rounds that each `@defer` saves for the initial result. Returns undefined if nothing is deferred, or there is
 * no plan.
 */
export function planDefers(args: OperationArgs, context: Context) {
  const read = readOperation(args);
  if (!read) return undefined;
  const { operation, known } = read;
  const all: SelectionNode[] = [];
  const note = (node: SelectionNode): void => {
    if (deferOf(node, known.variableValues)) all.push(node);
  };
  visit(args.document, { InlineFragment: note, FragmentSpread: note });
  if (all.length === 0) return undefined;

  /** Rounds of the initial result if all fragments but one are deferred. */
  const roundsWith = (kept: SelectionNode | undefined): number =>
    new Planner({ ...known, isIncremental: true }, context, undefined, undefined, kept).plan(
      operation,
    ).rounds;
  const initialRounds = roundsWith(undefined);
  const defers = all.map((node) => {
    const savesRounds = Math.max(0, roundsWith(node) - initialRounds);
    const { loc } = node;
    return {
      label: deferOf(node, known.variableValues)?.label ?? null,
      at: loc ? getLocation(loc.source, loc.start) : null,
      // Additional rounds of the initial result without it.
      savesRounds,
      pays: savesRounds > 0,
    };
  });
  // Rounds of the initial result with all fragments deferred.
  return { initialRounds, defers };
}

/**
 * Rejects an operation whose least cost exceeds the budget.
 *
 * @returns the error; undefined if the operation may run.
 */
export function rejectCost(
  args: OperationArgs,
  context: Context,
  budget: Budget,
): GraphQLError | undefined {
  const plan = planFor(args, context, budget);
  return plan && excessOf(plan, budget);
}

/** Returns the error of a plan whose least cost exceeds the budget. */
export function excessOf(plan: Plan, budget: Budget): GraphQLError | undefined {
  const { calls, values, mostCalls, largestList } = plan;
  if (calls.least > budget.calls) {
    return tooExpensive(
      `This query needs at least ${calls.least} backend calls; the limit is ${budget.calls}. Request fewer objects. \`${mostCalls}\` costs most.`,
      { calls: calls.least, maxCalls: budget.calls, field: mostCalls },
    );
  }
  if (values.atLeast > budget.values) {
    return tooExpensive(
      `This query returns at least ${values.atLeast} values; the limit is ${budget.values}. Request fewer items. \`${largestList}\` is the largest list.`,
      { values: values.atLeast, maxValues: budget.values, field: largestList },
    );
  }
  return undefined;
}

/**
 * Lower bound of the REST calls of an operation. Calls below lists of the backend do not count, since lists may be
 * empty.
 *
 * @param least `leastCost` of the document.
 */
export function certainCalls(args: OperationArgs, { calls }: Budget, context: Context): number {
  return calls <= 1 ? calls : (planFor(args, context)?.calls.least ?? 0);
}

const tooExpensive = (message: string, extensions: Readonly<Record<string, unknown>>) =>
  new GraphQLError(message, { extensions: { code: 'QUERY_TOO_EXPENSIVE', ...extensions } });

/**
 * Bounds the least cost of a document for any variables: a value per field, a call per field of objects, and as many as
 * `nodes` takes for selections of its objects. Calls below lists of the backend do not count, since lists may be empty.
 */
export function leastCost(document: DocumentNode): Budget {
  const fragments = fragmentsOf(document);
  const known = new Map<SelectionSetNode, Budget>();
  return document.definitions
    .filter((one) => one.kind === Kind.OPERATION_DEFINITION)
    .map((one) => sumSelections(one.selectionSet, fragments, NOTHING, plus, leastOf, known))
    .reduce(plus, NOTHING);
}

/** Fields with a selection per item; those with arguments take ids of objects. */
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
  // `nodes` of connections has no arguments.
  const isLookup = isList && given.length > 0;
  const times = isLookup ? MAX_NODES : 1;
  const isCalled = selectionSet !== undefined && (isLookup || !isList);
  return {
    calls: isCalled ? times * (1 + below.calls) : 0,
    values: 1 + times * (1 + below.values),
  };
}
