/**
 * A request of which nothing was done because too many others wait is refused as a whole: 503 and
 * `Retry-After`, which load balancers and clients' libraries understand without reading the body.
 */
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { RestOverloadedError } from '../../rest/client/errors.ts';

export function useShedding(): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || !isShed(result)) return;
      const { errors = [] } = result;
      const waits = errors.map(({ extensions }) => Number(extensions['retryAfterMs'] ?? 0));
      const seconds = Math.max(1, Math.ceil(Math.max(...waits) / 1_000));
      // Without `data`: an answer with data has to be a 200.
      setResult({
        errors,
        extensions: { http: { status: 503, headers: { 'retry-after': String(seconds) } } },
      });
    },
  };
}

const isShed = ({ data, errors }: ExecutionResult): boolean =>
  errors !== undefined &&
  errors.length > 0 &&
  errors.every(({ originalError }) => originalError instanceof RestOverloadedError) &&
  Object.values(data ?? {}).every((value) => value === null);
