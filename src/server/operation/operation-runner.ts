/**
 * One operation, from its document to its result: with the caller's key, within its budget of calls.
 *
 * A function, and not a hook for each step: Envelop puts a dozen objects around every hook, which
 * for a small query cost as much as executing it.
 */
import { createExecute, type Execute } from '../../execution/execute.ts';
import { createContext } from '../../graph/context.ts';
import { planFor, refuseCost } from '../../plan/cost.ts';
import type { Upstream } from '../../rest/client/client.ts';
import { readApiKey } from './api-key.ts';
import type { PostRequest } from './post.ts';
import type { ServerContext } from './request-record.ts';

export interface RunnerOptions {
  readonly upstream: Upstream;
  /** Sent for callers who send no key. */
  readonly apiKey?: string | undefined;
  /** Backend calls that one request may make. @default 250 */
  readonly maxUpstreamCalls?: number | undefined;
  /** What executes operations. @default the gateway's own executor */
  readonly execute?: Execute | undefined;
}

/** What an operation is run with, as `contextValue`. */
export interface RunContext extends ServerContext {
  /** As much of it as is asked for. */
  readonly request: Pick<PostRequest, 'headers'>;
}

/** Errors that are told of one answer: a few ids asked for by many names make thousands. */
const MAX_ERRORS = 1_000;

/** To whoever has left, one error tells enough: a hundred are as dear as an answer. */
const maxErrors = (context: unknown): number =>
  (context as ServerContext).record.leaving.cancelled ? 1 : MAX_ERRORS;

const LIMITS = { maxValues: 200_000, maxTextBytes: 5_000_000, deadlineMs: Infinity };

/**
 * What runs operations whose documents are known to be sound.
 *
 * An operation above the budget is refused before any call; one whose caller wants its plan makes
 * none. It throws UNAUTHENTICATED for a key that can't be sent.
 */
export function operationRunner({
  upstream,
  apiKey: fallback,
  maxUpstreamCalls: maxCalls = 250,
  execute = createExecute({ maxErrors, limits: () => LIMITS }),
}: RunnerOptions): Execute {
  return (args) => {
    const { request, record } = args.contextValue as RunContext;
    const apiKey = readApiKey(request.headers, fallback);
    // Who leaves gives up what they were reading. A write is finished, and so is what follows it.
    const leaving = record.operationType === 'query' ? record.leaving : undefined;
    record.rest = upstream({ apiKey, requestId: record.requestId, maxCalls, leaving });
    const context = { record, ...createContext(record.rest, apiKey ?? '') };
    if (request.headers.get('x-explain') === 'plan') {
      const plan = planFor(args, context);
      if (plan) return { extensions: { plan } };
    } else {
      const refusal = refuseCost(args, context, maxCalls);
      if (refusal) return { errors: [refusal] };
    }
    return execute({ ...args, contextValue: context });
  };
}
