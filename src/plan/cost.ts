/**
 * Whether a document is worth planning, and what to say when it costs too much.
 *
 * A plan takes longer than many a query. Only documents that could need more calls than the budget
 * allows are planned before they run, and that can be told from the text alone, once.
 */
import {
  getOperationAST,
  GraphQLError,
  visit,
  type DocumentNode,
  type ExecutionArgs,
} from 'graphql';
import { fragmentsOf } from '../execution/collect-fields.ts';
import { coerceVariableValues } from '../execution/variables.ts';
import { Journal } from '../rest/client/journal.ts';
import type { RouteSet } from '../v0/routes.ts';
import { createContext, type Context } from '../graph/context.ts';
import { MAX_NODES } from '../graph/types/node.queries.ts';
import { planOperation } from './plan.ts';
import type { Plan } from './plan-tally.ts';

/** What is to be executed, with its variables as the caller sent them. */
export type Asked = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'variableValues'>;

/** A context for planning alone: it knows which routes there are, and calls none. */
export function planningContext(routeSet: RouteSet): Context {
  const refuse = () => Promise.reject(new Error('A plan calls nothing.'));
  return createContext({ routeSet, journal: new Journal(), call: refuse, find: refuse }, 'plan');
}

/**
 * The plan of an operation; undefined when there is no such operation or its variables are wrong,
 * which execution will report.
 */
export function planFor(
  { schema, document, operationName, variableValues: sent }: Asked,
  context: Context,
): Plan | undefined {
  const operation = getOperationAST(document, operationName);
  const variableValues = operation && coerceVariableValues(schema, operation, sent).coerced;
  if (!variableValues) return undefined;
  const fragments = fragmentsOf(document);
  return planOperation(operation, { schema, fragments, variableValues }, context);
}

/**
 * Refuses an operation whose least cost is above the budget, before any call.
 *
 * @returns the refusal; undefined when the operation may run.
 */
export function refuseCost(
  asked: Asked,
  context: Context,
  maxCalls: number,
): GraphQLError | undefined {
  if (mostRootCalls(asked.document) <= maxCalls) return undefined;
  const plan = planFor(asked, context);
  if (!plan || plan.calls.least <= maxCalls) return undefined;
  return new GraphQLError(
    `This query needs at least ${plan.calls.least} backend calls, and a request may make ${maxCalls}: ask for less at once. "${plan.dearest}" costs most.`,
    {
      extensions: {
        code: 'QUERY_TOO_EXPENSIVE',
        calls: plan.calls.least,
        maxCalls,
        field: plan.dearest,
      },
    },
  );
}

const bounds = new WeakMap<DocumentNode, number>();

/**
 * A bound on what a document costs at least, whatever its variables: one call a field, and as many
 * as `nodes` takes for each `nodes`. What lies below lists may not exist, and costs nothing at least.
 */
function mostRootCalls(document: DocumentNode): number {
  let bound = bounds.get(document);
  if (bound === undefined) {
    let fields = 0;
    let objects = 1;
    visit(document, {
      Field: ({ name, arguments: given = [] }) => {
        fields += 1;
        // A connection's `nodes` takes no arguments.
        if (name.value === 'nodes' && given.length > 0) objects = MAX_NODES;
      },
    });
    bound = fields * objects * countSpreads(document);
    bounds.set(document, bound);
  }
  return bound;
}

/** A fragment's fields count as often as fragments are spread at all. */
function countSpreads(document: DocumentNode): number {
  let spreads = 1;
  visit(document, {
    FragmentSpread: () => {
      spreads++;
    },
  });
  return spreads;
}
