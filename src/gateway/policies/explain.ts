/** The cost of an operation for its caller: planned (`x-explain: plan`), actual (`true`), and as `Server-Timing`. */
import type { ExecutionResult } from 'graphql';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Plan } from '../../plan/account.ts';
import { planDefers, planFor } from '../../plan/cost.ts';
import { explain as explainCalls, serverTiming as headerOf } from '../../plan/explain.ts';
import type { Explained } from '../../plan/explain.ts';
import type { Budget } from '../../plan/planner.ts';
import { clientError } from '../operation/client-error.ts';
import { StateKey, type Operation, type ReadyOperation } from '../operation/operation.ts';
import type { Next, Policy } from '../policy.ts';
import { WEIGHED } from './admission.ts';

/** Who may see the cost of a request: all callers, those with a key, or none. */
export type ExplainAudience = 'on' | 'keys' | 'off';

/** Bounds of calls and round trips; `calls.most` is infinite for lists without a bound in the document. */
export type PlannedCost = Pick<Plan, 'calls' | 'rounds'>;

/** Planned cost of queries whose callers request the actual one. */
export const PLANNED = new StateKey<PlannedCost>();

/** Cost of an operation as `extensions`; undefined if it was not requested or is not allowed. */
export function costExtensions(
  operation: Operation,
  audience: ExplainAudience,
): { readonly upstream: Explained } | undefined {
  const { explain: requested, rest } = operation;
  if (requested !== 'true' || !rest || !mayExplain(operation, audience)) return undefined;
  return { upstream: explainCalls(rest.callLog) };
}

export function explain(budget: Budget, audience: ExplainAudience): Policy {
  /** `x-explain: plan` never executes the operation: without a plan, its execution reports why. */
  const planOr = <Result>(
    operation: ReadyOperation,
    next: Next<Result>,
  ): MaybePromise<Result | ExecutionResult> => {
    const { record, contextValue } = operation;
    rejectUnknown(record.explain);
    if (record.explain !== 'plan') return next(operation);
    if (!mayExplain(record, audience)) throw notExplained(audience);
    const planned = planFor(operation, contextValue);
    if (!planned) return next(operation);
    const plan = { ...planned, ...planDefers(operation, contextValue), budget };
    // Clients reject a response without `data` and `errors`.
    return { data: null, extensions: { plan } };
  };
  return {
    onExecute: planOr,
    onSubscribe: planOr,
    onExecuteDone(operation, result) {
      const { record } = operation;
      if (record.explain !== 'true') return undefined;
      if (record.operationType === 'query' && WEIGHED.get(record)) {
        const planned = planFor(operation, operation.contextValue, budget);
        if (planned) PLANNED.set(record, planned);
      }
      // The cost of an incremental response is in its last part.
      const cost = record.parts ? undefined : costExtensions(record, audience);
      return cost && { ...result, extensions: { ...result.extensions, ...cost } };
    },
  };
}

/** The header `Server-Timing`: calls and round trips of an operation. */
export const serverTiming = (audience: ExplainAudience): Policy => ({
  onAnswer(operation, { headers, stream }) {
    const { rest } = operation;
    // Not for streams, whose calls are not complete yet.
    if (rest && !stream && mayExplain(operation, audience)) {
      headers.push('server-timing', headerOf(rest.callLog));
    }
  },
});

const mayExplain = ({ callerKey }: Operation, audience: ExplainAudience): boolean =>
  audience === 'on' || (audience === 'keys' && callerKey !== undefined);

const EXPLAIN_VALUES: readonly (string | undefined)[] = [undefined, 'true', 'plan', 'false'];

function rejectUnknown(value: string | undefined): void {
  if (EXPLAIN_VALUES.includes(value)) return;
  throw clientError(
    400,
    'BAD_USER_INPUT',
    `\`x-explain\` must be "true" (the cost of this request) or "plan" (its planned cost, without execution), got "${value}".`,
  );
}

const notExplained = (audience: ExplainAudience) =>
  clientError(
    403,
    'EXPLAIN_NOT_ALLOWED',
    audience === 'keys'
      ? 'Plans require an API key (`EXPLAIN=keys`). Send `x-api-key`, or omit `x-explain`.'
      : 'Plans are disabled (`EXPLAIN=off`). Omit `x-explain`, or run `npm run plan`.',
  );
