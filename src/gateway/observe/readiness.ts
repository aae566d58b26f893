/**
 * Whether this process takes requests: yes until it stops. An outage of the backend takes no process out of its
 * service, since all would go at once; callers get typed errors, and the details here say what is degraded.
 */
import type { FailureKind } from '../../rest/call/errors.ts';
import type { ObservedCall } from '../../rest/call/observer.ts';
import type { CircuitStates } from '../../rest/policies/circuit-breaker.ts';
import type { TrustedReport } from '../documents/trusted-documents.ts';

/** End of the last call to the backend. */
interface LastCall {
  /** Whether it had a status below 500. Null before the first call. */
  readonly answers: boolean | null;
  /** Null where nothing came. */
  readonly status: number | null;
  /** Kind of failure of a call without a response. */
  readonly failure?: FailureKind;
}

/** Failures of calls that were not made, or not waited for: they say nothing about the backend. */
const NOT_MET: ReadonlySet<FailureKind> = new Set([
  'cancelled',
  'circuit_open',
  'overloaded',
  'out_of_files',
]);

export class Readiness {
  #draining = false;
  #last: LastCall = { answers: null, status: null };
  readonly #breaker: CircuitStates;
  readonly #warnings: readonly string[];
  readonly #trusted: { report(): TrustedReport } | undefined;

  constructor(
    breaker: CircuitStates,
    trustedDocuments?: { report(): TrustedReport },
    warnings: readonly string[] = [],
  ) {
    this.#warnings = warnings;
    this.#breaker = breaker;
    this.#trusted = trustedDocuments;
  }

  /** Sets it to not ready for good. */
  drain(): void {
    this.#draining = true;
  }

  /** A call ended. */
  noticeCall({ status, failure }: Pick<ObservedCall, 'status' | 'failure'>): void {
    if (failure && NOT_MET.has(failure)) return;
    this.#last =
      status === undefined
        ? { answers: false, status: null, ...(failure && { failure }) }
        : { answers: status < 500, status };
  }

  report() {
    const trustedDocuments = this.#trusted?.report();
    // Circuits by scope and route: `{ "scope": "route_key", "route": "GET /v0/topics", "state": "open", "count": 2 }`.
    const open = this.#breaker.tripped.map(({ scope, route, state, count }) => ({
      scope,
      ...(route && { route: `${route.method} ${route.path}` }),
      state,
      count,
    }));
    return {
      ready: !this.#draining,
      degraded: open.length > 0 || this.#last.answers === false || Boolean(trustedDocuments?.bad),
      draining: this.#draining,
      // Never an address or a key. `breaker` is the host's: `open` means that calls fail at once for some seconds.
      upstream: { ...this.#last, breaker: this.#breaker.stateOf('host'), open },
      ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
      ...(trustedDocuments && { trustedDocuments }),
    };
  }
}
