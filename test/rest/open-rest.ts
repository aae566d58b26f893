/**
 * The REST side alone for a test: a misbehaving backend, a dispatcher, and an upstream whose events are recorded.
 */
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { RequestScope, RestClient } from '../../src/rest/client/client.ts';
import { createUpstream, type Upstream } from '../../src/rest/upstream.ts';
import type { ObservedCall, UpstreamOptions } from '../../src/rest/call/options.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import {
  openFaultUpstream,
  type FaultUpstream,
  type FaultUpstreamOptions,
} from '../support/fault-upstream.ts';
import type { Seen } from '../support/faults.ts';
import { RestError } from '../../src/rest/call/errors.ts';
import { routes } from '../../src/v0/routes.ts';
import { DEFAULTS, scopeOf } from '../support/settings.ts';

export interface Rest {
  readonly backend: FaultUpstream;
  readonly upstream: Upstream;
  /** Events of the observer by name; those of the circuit breaker as scope and state. */
  readonly told: string[];
  readonly calls: ObservedCall[];
  /** The client of a new request. */
  client(scope?: Partial<RequestScope>): RestClient;
}

export interface RestOptions extends Partial<UpstreamOptions>, FaultUpstreamOptions {
  /** The URL of the backend, instead of that of the one that is started. */
  readonly url?: string;
  /** The time that a request may take, in milliseconds; 10,000 by default. */
  readonly requestTimeoutMs?: number;
}

/** An address where no one listens. The port of a stopped backend could be given to another test. */
export const NOWHERE = 'http://127.0.0.1:9';

/** A breaker that never opens, for tests that are about something else. */
export const NO_BREAKER = { volume: Number.MAX_SAFE_INTEGER };

export async function openRest({
  certificate,
  stopped,
  url,
  requestTimeoutMs = DEFAULTS.limits.requestTimeoutMs,
  ...options
}: RestOptions = {}) {
  const backend = await openFaultUpstream({
    ...(certificate && { certificate }),
    ...(stopped !== undefined && { stopped }),
  });
  const dispatcher = options.dispatcher ?? new BackendDispatcher(url ?? backend.url);
  onTestFinished(async () => {
    // Calls to a silent backend never end, so destroy, not close. Every dispatcher here has it.
    await (dispatcher as BackendDispatcher).destroy();
    await backend.stop();
  });
  const told: string[] = [];
  const calls: ObservedCall[] = [];
  const tell = (name: string) => () => told.push(name);
  const upstream = createUpstream({
    pathPrefix: '',
    routeSet: 'extended',
    timeoutMs: 3_000,
    observer: {
      onCall: (call) => calls.push(call),
      onRetryBudgetExhausted: tell('budget exhausted'),
      onShed: tell('shed'),
      onPause: tell('pause'),
      onBreaker: ({ scope, state }) => told.push(`${scope} ${state}`),
    },
    ...options,
    dispatcher,
  });
  let requests = 0;
  const rest: Rest = {
    backend,
    upstream,
    told,
    calls,
    client: (scope) =>
      upstream(
        scopeOf({
          apiKey: 'key-a',
          requestId: `r${++requests}`,
          deadlineMs: (options.clock ?? systemClock).now() + requestTimeoutMs,
          ...scope,
        }),
      ),
  };
  return rest;
}

/** The value of a promise, or the error that it rejects with. */
export const outcome = <Value>(promise: Promise<Value>): Promise<Value | Error> =>
  promise.catch((error: unknown) => error as Error);

/** The kind of the error that a promise rejects with; `none` when it resolves. */
export const failureOf = async (promise: Promise<unknown>): Promise<string> => {
  const result = await outcome(promise);
  if (!(result instanceof Error)) return 'none';
  return result instanceof RestError ? result.kind : result.name;
};

export const person = (personId: string, name = 'Ada') => ({
  personId,
  name,
  email: null,
  domain: null,
  slug: personId,
  phoneNumber: null,
  linkedinProfileUrl: null,
  createdAt: '+1700000000000',
  updatedAt: '+1700000000000',
});

export const topic = (topicId: string, title = 'News') => ({
  topicId,
  title,
  purpose: null,
  sortOrder: 1,
  isDefault: false,
  createdAt: '+1700000000000',
  updatedAt: '+1700000000000',
  entries: [],
});

/** The person that a request reads. */
export const personAsked = ({ target }: Seen) =>
  person(decodeURIComponent(target.split('/').at(-1)!));

export const getPerson = (client: RestClient, id = 'p') =>
  client.call(routes.getPerson, { path: { person_id: id } });
