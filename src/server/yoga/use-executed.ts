/**
 * Lets Yoga serve what the fast path has executed.
 */
import type { Plugin } from 'graphql-yoga';
import type { ServerContext } from '../operation/request-record.ts';

export function useExecuted(): Plugin<ServerContext, ServerContext> {
  return {
    onParams({ context: { record }, setResult }) {
      if (record.executed) setResult(record.executed);
    },
  };
}
