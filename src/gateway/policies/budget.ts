/**
 * The plan of an operation, and the refusal of what costs more than the budget, before anything is called;
 * afterwards what it has cost, for callers who ask.
 */
import type { ExecutionResult } from 'graphql';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Context } from '../../graph/context.ts';
import { planFor } from '../../plan/cost.ts';
import { planDefers } from '../../plan/defers.ts';
import { explain, type Explained } from '../../plan/explain.ts';
import type { Weighed } from '../../plan/weight.ts';
import { clientError } from '../operation/client-error.ts';
import type { Operation } from '../operation/operation.ts';
import type { Policy } from '../pipeline.ts';
import type { Admit } from './admit.ts';
import { argsOf, type Budget } from './execution.ts';

/** Who may see what a request costs: all callers, those who bring a key, or none. */
export type ExplainAudience = 'on' | 'keys' | 'off';

export const mayExplain = ({ callerKey }: Operation, audience: ExplainAudience): boolean =>
  audience === 'on' || (audience === 'keys' && callerKey !== undefined);

/** `extensions` of what an operation has cost; undefined where nobody asked, or nobody may know. */
export function costExtensions(
  operation: Operation,
  audience: ExplainAudience,
): { readonly upstream: Explained } | undefined {
  const { explain: asked, rest } = operation;
  if (asked !== 'true' || !rest || !mayExplain(operation, audience)) return undefined;
  return { upstream: explain(rest.journal) };
}

export function budget(limits: Budget, audience: ExplainAudience, admit: Admit): Policy {
  /** What is answered in place of its execution; undefined where it may run. */
  const check = (operation: Operation): MaybePromise<ExecutionResult | undefined> => {
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
      operation.planned = planFor(argsOf(operation), context, limits);
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

  /** A caller who asks for a plan does not expect a write: without one, nothing runs. */
  const plan = (operation: Operation, context: Context): ExecutionResult | undefined => {
    const args = argsOf(operation);
    if (!mayExplain(operation, audience)) throw notExplained(audience);
    const planned = planFor(args, context);
    if (!planned) return undefined;
    const defers = planDefers(args, context);
    // Clients take an answer without `data` and `errors` for a broken one.
    return { data: null, extensions: { plan: { ...planned, ...defers, budget: limits } } };
  };

  return {
    execute: checkedFirst,
    subscribe: checkedFirst,
    result(operation) {
      // The last part of a response in parts has what all of it has cost.
      if (operation.explain !== 'true' || operation.parts) return;
      const cost = costExtensions(operation, audience);
      const { result } = operation;
      if (cost) operation.result = { ...result, extensions: { ...result!.extensions, ...cost } };
    },
  };
}

const notExplained = (audience: ExplainAudience) =>
  clientError(
    403,
    'EXPLAIN_NOT_ALLOWED',
    audience === 'keys'
      ? 'Plans are for callers with a key of their own (EXPLAIN=keys): send x-api-key, or leave out x-explain.'
      : 'Plans are switched off here (EXPLAIN=off): leave out x-explain, or run "npm run plan".',
  );
