/**
 * Plans an operation, rejects it before any call if it exceeds the budget, and reports its actual cost on request.
 */
import type { ExecutionResult } from 'graphql';
import type { Budget } from '../../plan/planner.ts';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Context } from '../../graph/context.ts';
import { planFor } from '../../plan/cost.ts';
import { planDefers } from '../../plan/defers.ts';
import { explain, type Explained } from '../../plan/explain.ts';
import type { Weighed } from '../../plan/weight.ts';
import { clientError } from '../operation/client-error.ts';
import type { Operation } from '../operation/operation.ts';
import { StateKey } from '../operation/state.ts';
import type { Policy } from '../policy.ts';
import type { Admit } from './admit.ts';
import { argsOf } from './execution.ts';

/** Who may see the cost of a request: all callers, those with a key, or none. */
export type ExplainAudience = 'on' | 'keys' | 'off';

export const mayExplain = ({ callerKey }: Operation, audience: ExplainAudience): boolean =>
  audience === 'on' || (audience === 'keys' && callerKey !== undefined);

/** Cost of an operation as `extensions`; undefined if it was not requested or is not allowed. */
export function costExtensions(
  operation: Operation,
  audience: ExplainAudience,
): { readonly upstream: Explained } | undefined {
  const { explain: asked, rest } = operation;
  if (asked !== 'true' || !rest || !mayExplain(operation, audience)) return undefined;
  return { upstream: explain(rest.callLog) };
}

/** Planned cost of an operation. */
export interface PlannedCost {
  /** REST calls; `most` is infinite for lists without a bound in the document. */
  readonly calls: { readonly least: number; readonly most: number };
  readonly rounds: number;
}

/** Planned cost of queries whose callers ask for the actual one. */
export const PLANNED = new StateKey<PlannedCost>();

export function budget(limits: Budget, audience: ExplainAudience, admit: Admit): Policy {
  /** Returns the result in place of execution; undefined if the operation may run. */
  const check = (operation: Operation): MaybePromise<ExecutionResult | undefined> => {
    rejectUnknown(operation.explain);
    if (operation.explain === 'plan') {
      return plan(operation, operation.contextValue as Context);
    }
    const weighed = admit.weigh(operation);
    return weighed instanceof Promise
      ? weighed.then((one) => checked(one, operation))
      : checked(weighed, operation);
  };

  const checked = (weighed: Weighed, operation: Operation): ExecutionResult | undefined => {
    if (weighed.refusal) return { errors: [weighed.refusal] };
    operation.weighed = weighed;
    if (operation.explain === 'true' && operation.operationType === 'query') {
      const context = operation.contextValue as Context;
      const planned = planFor(argsOf(operation), context, limits);
      if (planned) PLANNED.set(operation, planned);
    }
    return undefined;
  };

  const checkedFirst = <Result>(
    operation: Operation,
    next: (operation: Operation) => MaybePromise<Result>,
  ): MaybePromise<Result | ExecutionResult> => {
    const found = check(operation);
    return found instanceof Promise
      ? found.then((one) => one ?? next(operation))
      : (found ?? next(operation));
  };

  /** `x-explain: plan` never executes the operation, even without a plan. */
  const plan = (operation: Operation, context: Context): ExecutionResult | undefined => {
    const args = argsOf(operation);
    if (!mayExplain(operation, audience)) throw notExplained(audience);
    const planned = planFor(args, context);
    if (!planned) return undefined;
    const defers = planDefers(args, context);
    // Clients reject a response without `data` and `errors`.
    return { data: null, extensions: { plan: { ...planned, ...defers, budget: limits } } };
  };

  return {
    onExecute: checkedFirst,
    onSubscribe: checkedFirst,
    onExecuteDone(operation, result) {
      // The cost of a response in parts is in its last part.
      if (operation.explain !== 'true' || operation.parts) return undefined;
      const cost = costExtensions(operation, audience);
      return cost && { ...result, extensions: { ...result.extensions, ...cost } };
    },
  };
}

const EXPLAIN_VALUES: readonly (string | undefined)[] = [undefined, 'true', 'plan', 'false'];

function rejectUnknown(explain: string | undefined): void {
  if (EXPLAIN_VALUES.includes(explain)) return;
  throw clientError(
    400,
    'BAD_USER_INPUT',
    `x-explain must be "true" (the calls of this request) or "plan" (its cost, without execution), got "${explain}".`,
  );
}

const notExplained = (audience: ExplainAudience) =>
  clientError(
    403,
    'EXPLAIN_NOT_ALLOWED',
    audience === 'keys'
      ? 'Plans are for callers with a key of their own (EXPLAIN=keys): send x-api-key, or leave out x-explain.'
      : 'Plans are switched off here (EXPLAIN=off): leave out x-explain, or run "npm run plan".',
  );
