/**
 * The plan of an operation, and the refusal of what costs more than the budget, before anything is called;
 * afterwards what it has cost, for callers who ask.
 */
import type { ExecutionArgs } from 'graphql';
import { planFor } from '../../plan/cost.ts';
import { planDefers } from '../../plan/defers.ts';
import { explain, type Explained } from '../../plan/explain.ts';
import { refusal } from '../../operation/refusal.ts';
import type {
  GatewayPlugin,
  OperationContext,
  ServerContext,
} from '../../operation/gateway-plugin.ts';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Weighed } from '../../plan/weight.ts';
import type { Admit } from './admit.ts';
import type { OperationExecution } from './execution.plugin.ts';

/** Who may see what a request costs: all callers, those who bring a key, or none. */
export type ExplainAudience = 'on' | 'keys' | 'off';

type Budget = OperationExecution['budget'];

/** What a hook of execution answers. */
type Executing = Awaited<ReturnType<NonNullable<GatewayPlugin['onExecute']>>>;

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

export function useBudget(budget: Budget, audience: ExplainAudience, admit: Admit): GatewayPlugin {
  const check = (args: ExecutionArgs): MaybePromise<object | undefined> => {
    const context = args.contextValue as OperationContext;
    if (context.caller.explain === 'plan') return plan(args, context);
    const weighed = admit.weigh(args, context);
    return weighed instanceof Promise
      ? weighed.then((one) => checked(one, args, context))
      : checked(weighed, args, context);
  };

  const checked = (
    weighed: Weighed,
    args: ExecutionArgs,
    context: OperationContext,
  ): object | undefined => {
    if (weighed.refusal) return { errors: [weighed.refusal] };
    context.record.weighed = weighed;
    const { caller, record } = context;
    if (caller.explain === 'true' && record.operationType === 'query') {
      record.planned = planFor(args, context, budget);
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

  const withCost: (context: OperationContext) => Executing = (context) => ({
    onExecuteDone({ result, setResult }) {
      const cost = costExtensions(context, audience);
      // The last part of an answer in parts has what all of it has cost.
      if (!cost || Symbol.asyncIterator in result || 'subsequent' in result) return;
      setResult({ ...result, extensions: { ...result.extensions, ...cost } });
    },
  });

  return {
    onExecute({ args, context, setResultAndStopExecution }) {
      const goOn = (found: object | undefined) => {
        if (!found) return context.caller.explain === 'true' ? withCost(context) : undefined;
        setResultAndStopExecution(found);
        return undefined;
      };
      const found = check(args);
      return found instanceof Promise ? found.then(goOn) : goOn(found);
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const goOn = (found: object | undefined): void => {
        if (found) setResultAndStopExecution(found);
      };
      const found = check(args);
      return found instanceof Promise ? found.then(goOn) : goOn(found);
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
