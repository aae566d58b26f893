/**
 * Readiness: true until the process stops. An outage of the backend does not change it, since all processes would leave
 * the load balancer together; the details show what is degraded.
 */
import type { FailureKind } from '../../rest/call/errors.ts';
import type { ObservedCall } from '../../rest/call/options.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import type { CircuitStates } from '../../rest/policies/circuit-breaker.ts';

interface LastCall {
  /** Whether its status was below 500; null before the first call. */
  readonly answers: boolean | null;
  /** Null without a response. */
  readonly status: number | null;
  /** Kind of failure if there was no response. */
  readonly failure?: FailureKind;
}

/** Failures of calls that were not sent, or were cancelled, which do not concern the backend. */
const NOT_SENT: ReadonlySet<FailureKind> = new Set([
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
  readonly #trusted: Pick<TrustedDocuments, 'report'> | undefined;

  constructor(
    breaker: CircuitStates,
    trustedDocuments?: Pick<TrustedDocuments, 'report'>,
    warnings: readonly string[] = [],
  ) {
    this.#warnings = warnings;
    this.#breaker = breaker;
    this.#trusted = trustedDocuments;
  }

  /** Makes the process not ready permanently. */
  drain(): void {
    this.#draining = true;
  }

  recordCall({ status, failure }: Pick<ObservedCall, 'status' | 'failure'>): void {
    if (failure && NOT_SENT.has(failure)) return;
    this.#last =
      status === undefined
        ? { answers: false, status: null, ...(failure && { failure }) }
        : { answers: status < 500, status };
  }

  report() {
    const trustedDocuments = this.#trusted?.report();
    // `{ "scope": "route_key", "route": "GET /v0/topics", "state": "open", "count": 2 }`
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
      // Contains no address or key. `breaker` is the state of the host's circuit.
      upstream: { ...this.#last, breaker: this.#breaker.stateOf('host'), open },
      ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
      ...(trustedDocuments && { trustedDocuments }),
    };
  }
}
