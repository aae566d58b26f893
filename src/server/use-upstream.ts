/**
 * The backend as one request may use it, with its caller's key, and what resolvers share.
 *
 * Not Yoga's `context`: that is built before execution, by hooks and promises of its own.
 */
import type { Plugin } from 'graphql-yoga';
import { createContext, type Context } from '../graph/context.ts';
import type { Upstream } from '../rest/client.ts';
import { readApiKey } from './api-key.ts';
import type { ServerContext } from './request-record.ts';

export interface UpstreamPluginOptions {
  readonly upstream: Upstream;
  /** Sent for callers who send no key. */
  readonly apiKey?: string | undefined;
  /** Backend calls that one request may make. */
  readonly maxUpstreamCalls?: number | undefined;
}

export function useUpstream({
  upstream,
  apiKey: fallback,
  maxUpstreamCalls: maxCalls,
}: UpstreamPluginOptions): Plugin<ServerContext & Context, ServerContext> {
  return {
    onExecute({ context: { request, record }, extendContext }) {
      const apiKey = readApiKey(request.headers, fallback);
      const { requestId } = record;
      // Who leaves gives up what they were reading. A write is finished, and so is what follows it.
      const leaving = record.operationType === 'query' ? record.leaving : undefined;
      record.rest = upstream({ apiKey, requestId, maxCalls, leaving });
      extendContext(createContext(record.rest, apiKey ?? ''));
    },
  };
}
