/**
 * Refuses what could not be read as whatever else is refused: with CORS headers, a name and a line
 * of the log.
 */
import type { Plugin } from 'graphql-yoga';
import type { ServerContext } from '../operation/request-record.ts';

export function useBody(): Plugin<ServerContext, ServerContext> {
  return {
    onRequestParse({ serverContext: { record } }) {
      if (record.unreadable) throw record.unreadable;
    },
  };
}
