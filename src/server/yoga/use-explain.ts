/**
 * What a request has cost the backend: shown to whoever sends `x-explain: true`, told in a header
 * of every answer, and where to go on when it was too much.
 */
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { continuationsOf } from '../../graph/continuation.ts';
import { explain, serverTiming } from '../../plan/explain.ts';
import type { ServerContext } from '../operation/request-record.ts';

export function useExplain(): Plugin<ServerContext, ServerContext> {
  return {
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
