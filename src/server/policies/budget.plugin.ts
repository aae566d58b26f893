/**
 * The plan of an operation, and the refusal of what costs more than the budget, before anything is called;
 * afterwards what it has cost, for callers who ask.
 */
import type { ExecutionArgs } from 'graphql';
import { planFor, refuseCost } from '../../plan/cost.ts';
import { planDefers } from '../../plan/defers.ts';
import { explain, type Explained } from '../../plan/explain.ts';
import { refusal } from '../../operation/refusal.ts';
import type {
  GatewayPlugin,
  OperationContext,
  ServerContext,
} from '../../operation/gateway-plugin.ts';
import type { OperationExecution } from './execution.plugin.ts';

/** Who may see what a request costs: all callers, those who bring a key, or none. */
export type ExplainAudience = 'on' | 'keys' | 'off';

type Budget = OperationExecution['budget'];

export const mayExplain = ({ caller }: ServerContext, audience: ExplainAudience): boolean =>
  audience === 'on' || (audience === 'keys' && caller.apiKey != null);

/** `extensions` of what an operation has cost; undefined where nobody asked, or nobody may know. */
export function costExtensions(
  context: ServerContext,
  audience: ExplainAudience,
): { readonly upstream: Explained } | undefined {
  const { caller, record } = context;
  if (caller.explain !== 'true' || !record.rest || !mayExplain(context, audience)) return undefined;
  return { upstream: explain(record.rest.journal) };
}

/** How often an operation is planned to compare what it makes with its plan, in milliseconds. */
const COMPARE_MS = 1_000;

export function useBudget(budget: Budget, audience: ExplainAudience): GatewayPlugin {
  let comparedMs = -Infinity;

  const check = (args: ExecutionArgs): object | undefined => {
    const context = args.contextValue as OperationContext;
    if (context.caller.explain === 'plan') return plan(args, context);
    const { trace } = context.record;
    const startMs = trace ? performance.now() : 0;
    const excess = refuseCost(args, context, budget);
    trace?.phases.push({ name: 'plan', startMs, endMs: performance.now() });
    if (excess) return { errors: [excess] };
    const nowMs = performance.now();
    if (nowMs - comparedMs >= COMPARE_MS && context.record.operationType === 'query') {
      comparedMs = nowMs;
      context.record.planned = planFor(args, context, budget);
    }
    return undefined;
  };

  /** A caller who asks for a plan does not expect a write: without one, nothing runs. */
  const plan = (args: ExecutionArgs, context: OperationContext): object | undefined => {
    if (!mayExplain(context, audience)) throw notExplained(audience);
    const planned = planFor(args, context);
    if (!planned) return undefined;
    const defers = planDefers(args, context);
    // Clients take an answer without `data` and `errors` for a broken one.
    return { data: null, extensions: { plan: { ...planned, ...defers, budget } } };
  };

  return {
    onExecute({ args, context, setResultAndStopExecution }) {
      const found = check(args);
      if (found) {
        setResultAndStopExecution(found);
        return undefined;
      }
      if (context.caller.explain !== 'true') return undefined;
      return {
        onExecuteDone({ result, setResult }) {
          const cost = costExtensions(context, audience);
          // The last part of an answer in parts has what all of it has cost.
          if (!cost || Symbol.asyncIterator in result || 'subsequent' in result) return;
          setResult({ ...result, extensions: { ...result.extensions, ...cost } });
        },
      };
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const found = check(args);
      if (found) setResultAndStopExecution(found);
    },
  };
}

const notExplained = (audience: ExplainAudience) =>
  refusal(
    403,
    'EXPLAIN_NOT_ALLOWED',
    audience === 'keys'
      ? 'Plans are for callers with a key of their own (EXPLAIN=keys): send x-api-key, or leave out x-explain.'
      : 'Plans are switched off here (EXPLAIN=off): leave out x-explain, or run "npm run plan".',
  );
