/**
 * What a request costs the backend: refused before when it is too much, planned or explained to
 * whoever asks, and timed in a header of every answer.
 *
 * `x-explain: plan` answers the plan and calls nothing; `x-explain: true` adds what was called.
 */
import { getOperationAST, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../graph/context.ts';
import { continuationsOf } from '../graph/continuation.ts';
import { planFor, refuseCost } from '../graph/cost.ts';
import { explain, serverTiming } from '../graph/explain.ts';
import type { ServerContext } from './request-record.ts';

export interface CostOptions {
  /** Backend calls that one request may make. */
  readonly maxCalls: number;
}

export function useCost({ maxCalls }: CostOptions): Plugin<ServerContext & Context, ServerContext> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      // Envelop leaves these open; Yoga fills them with what graphql-js calls so.
      const { schema, document, contextValue, operationName } = args as ExecutionArgs & {
        readonly contextValue: Context & { readonly request: Request };
      };
      const operation = getOperationAST(document, operationName);
      if (!operation) return;
      // Yoga hands the variables on as they were sent.
      const variables = (args.variableValues ?? {}) as Readonly<Record<string, unknown>>;
      const asked = { schema, document, operation, variables };
      if (contextValue.request.headers.get('x-explain') === 'plan') {
        const plan = planFor(asked, contextValue);
        if (plan) setResultAndStopExecution({ extensions: { plan } });
        return;
      }
      const refusal = refuseCost(asked, contextValue, maxCalls);
      if (refusal) setResultAndStopExecution({ errors: [refusal] });
    },

    onResultProcess({ request, result, setResult, serverContext: { record } }) {
      const journal = record.rest?.journal;
      if (!journal || Array.isArray(result) || Symbol.asyncIterator in result) return;
      const cuts = continuationsOf((result as ExecutionResult).errors ?? []);
      const wanted = request.headers.get('x-explain') === 'true';
      if (!wanted && cuts.length === 0) return;
      setResult({
        ...result,
        extensions: {
          ...result.extensions,
          ...(wanted && { upstream: explain(journal) }),
          ...(cuts.length > 0 && { continuation: cuts }),
        },
      });
    },

    onResponse({ response, serverContext }) {
      const journal = serverContext?.record?.rest?.journal;
      if (journal) response.headers.set('server-timing', serverTiming(journal));
    },
  };
}
