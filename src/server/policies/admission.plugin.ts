/**
 * Admission of operations that are executed, turns of documents that are not known yet, and 503 for those that find
 * too much waiting.
 */
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Documents } from '../../documents/documents.ts';
import type { TrustedDocuments } from '../../documents/trusted-documents.ts';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type {
  GatewayPlugin,
  OperationContext,
  ServerContext,
} from '../../operation/gateway-plugin.ts';
import type { OperationParams } from '../../operation/request/params.ts';
import { weightOfBytes } from '../../plan/weight.ts';
import { RestOverloadedError } from '../../rest/call/errors.ts';
import { overloaded, type Admit } from './admit.ts';

/** Waits until the document of a request may be parsed, validated and planned; undefined where it may be at once. */
export type AwaitDocument = (
  context: ServerContext,
  params: Pick<OperationParams, 'query'>,
) => Promise<void> | undefined;

export const createAwaitDocument =
  (
    admit: Admit,
    documents: Documents,
    trusted: Pick<TrustedDocuments, 'has'> | undefined,
  ): AwaitDocument =>
  (context, { query }) =>
    admit.turn(
      context,
      () =>
        // A plan is made for each caller who asks for it.
        context.caller.explain !== 'plan' &&
        (context.chosen !== undefined || trusted?.has(query) || documents.isKnown(query)),
    );

export const useNewDocuments = (awaitDocument: AwaitDocument): GatewayPlugin => ({
  // After the plugin that has checked them.
  onParams: ({ context, params }) => awaitDocument(context, params as OperationParams),
});

export const useAdmission = (admit: Admit): GatewayPlugin => ({
  onExecute({ executeFn, setExecuteFn }) {
    setExecuteFn((args) => {
      const context = args.contextValue as OperationContext;
      const place = admit.enter(context, context.record.weighed?.weight ?? 1);
      return place instanceof Promise
        ? place.then((had) => run(args, context, had))
        : run(args, context, place);
    });

    function run(
      args: ExecutionArgs,
      context: OperationContext,
      place: NonNullable<ServerContext['record']['place']>,
    ): MaybePromise<ExecutionResult> {
      // Held until the answer has left the process.
      const { record } = context;
      record.place = place;
      if (record.leaving.cancelled && record.operationType === 'query') {
        return { errors: [overloaded(0)] }; // nobody reads it
      }
      const excess = admit.refuse(args, context);
      if (excess) return { errors: [excess] };
      const result = executeFn(args) as MaybePromise<ExecutionResult>;
      return result instanceof Promise ? result.then(orOverloaded) : orOverloaded(result);
    }
  },
  onAnswer({ bytes, text, parts }, { record }) {
    if (parts) return;
    record.place?.weigh(weightOfBytes(bytes?.length ?? text.length));
  },
});

/** A refusal in place of a result that has no data because too many calls wait. */
function orOverloaded(result: ExecutionResult): ExecutionResult {
  const waitMs = result.errors && shedMs(result);
  return waitMs === undefined ? result : { errors: [overloaded(waitMs)] };
}

/** How long to wait, where there is no data because too many calls wait; undefined otherwise. */
function shedMs({ data, errors = [] }: ExecutionResult): number | undefined {
  for (const name in data) if (data[name] !== null) return undefined;
  let waitMs: number | undefined;
  for (const { originalError } of errors) {
    if (!(originalError instanceof RestOverloadedError)) return undefined;
    waitMs = Math.max(waitMs ?? 0, originalError.retryAfterMs ?? 0);
  }
  return waitMs;
}
