/**
 * Whether a document is worth planning, and what to say when it costs too much.
 *
 * A plan takes longer than many a query. Only documents that could cost more than the budget are
 * planned before they run, and that can be told from the text alone, once.
 */
import {
  getOperationAST,
  GraphQLError,
  Kind,
  type DocumentNode,
  type ExecutionArgs,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, type Document } from '../execution/selection.ts';
import { variablesOf } from '../execution/variables.ts';
import { createContext, type Context } from '../graph/context.ts';
import { MAX_NODES } from '../graph/types/node.queries.ts';
import { Journal } from '../rest/client/journal.ts';
import type { RouteSet } from '../v0/routes.ts';
import { product } from './count.ts';
import { Planner, type Budget, type Plan } from './planner.ts';

/** What is to be executed, with its variables as the caller sent them. */
export type OperationArgs = Pick<
  ExecutionArgs,
  'schema' | 'document' | 'operationName' | 'variableValues'
>;

/** A context for planning alone: it knows which routes there are, and calls none. */
export function planningContext(routeSet: RouteSet): Context {
  const refuse = () => Promise.reject(new Error('A plan calls nothing.'));
  return createContext({ routeSet, journal: new Journal(), call: refuse, find: refuse }, {});
}

/**
 * The plan of an operation; undefined when there is no such operation or its variables are wrong,
 * which execution will report.
 *
 * @param budget ends the plan as soon as it is surely spent.
 */
export function planFor(
  { schema, document, operationName, variableValues: sent }: OperationArgs,
  context: Context,
  budget?: Budget,
): Plan | undefined {
  const operation = getOperationAST(document, operationName);
  const variableValues = operation && variablesOf(schema, operation, sent);
  if (!variableValues) return undefined;
  const fragments = fragmentsOf(document);
  try {
    return new Planner({ schema, fragments, variableValues }, context, budget).plan(operation);
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
  const most = mostAtLeast(args.document);
  if (most.calls <= budget.calls && most.values <= budget.values) return undefined;
  const plan = planFor(args, context, budget);
  if (!plan) return undefined;
  const { calls, values, dearest, largest } = plan;
  if (calls.least > budget.calls) {
    return tooExpensive(
      `This query needs at least ${calls.least} backend calls, and a request may make ${budget.calls}: ask for less at once. "${dearest}" costs most.`,
      { calls: calls.least, maxCalls: budget.calls, field: dearest },
    );
  }
  if (values.atLeast > budget.values) {
    return tooExpensive(
      `This query answers at least ${values.atLeast} values, and a request may be answered with ${budget.values}: ask for less at once. "${largest}" multiplies most.`,
      { values: values.atLeast, maxValues: budget.values, field: largest },
    );
  }
  return undefined;
}

const tooExpensive = (message: string, extensions: Readonly<Record<string, unknown>>) =>
  new GraphQLError(message, { extensions: { code: 'QUERY_TOO_EXPENSIVE', ...extensions } });

const bounds = new WeakMap<DocumentNode, Budget>();

/**
 * A bound on what a document costs at least, whatever its variables: a value for each field, a call
 * for each field of objects, and as many as `nodes` takes for what is selected of its objects. What
 * lies below lists of the backend may not exist, and costs no call at least.
 */
function mostAtLeast(document: DocumentNode): Budget {
  let bound = bounds.get(document);
  if (!bound) {
    bound = new LeastCost(fragmentsOf(document)).ofAll(document);
    bounds.set(document, bound);
  }
  return bound;
}

/** Counts fragments as often as they are spread, and looks at each once. */
class LeastCost {
  readonly #fragments: Document['fragments'];
  readonly #known = new Map<string, Budget>();

  constructor(fragments: Document['fragments']) {
    this.#fragments = fragments;
  }

  ofAll({ definitions }: DocumentNode): Budget {
    const total = { calls: 0, values: 0 };
    for (const one of definitions) {
      if (one.kind === Kind.OPERATION_DEFINITION) add(total, this.#of(one.selectionSet), 1);
    }
    return total;
  }

  #of(set: SelectionSetNode | undefined): Budget {
    const total = { calls: 0, values: 0 };
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        const { name, arguments: given = [], selectionSet } = selection;
        // A connection's `nodes` takes no arguments.
        const isLookup = name.value === 'nodes' && given.length > 0;
        const isList = !isLookup && (name.value === 'nodes' || name.value === 'edges');
        const { calls, values } = this.#of(selectionSet);
        const below = { calls: isList || !selectionSet ? 0 : calls + 1, values: values + 1 };
        add(total, below, isLookup ? MAX_NODES : 1);
        total.values += 1;
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        add(total, this.#of(selection.selectionSet), 1);
      } else {
        add(total, this.#ofFragment(selection.name.value), 1);
      }
    }
    return total;
  }

  #ofFragment(name: string): Budget {
    let cost = this.#known.get(name);
    if (!cost) {
      cost = this.#of(this.#fragments[name]?.selectionSet);
      this.#known.set(name, cost);
    }
    return cost;
  }
}

function add(total: { calls: number; values: number }, cost: Budget, times: number): void {
  total.calls += product(cost.calls, times);
  total.values += product(cost.values, times);
}
