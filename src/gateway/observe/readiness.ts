/**
 * Readiness: true until the process stops. An outage of the backend does not change it, since all processes would leave
 * the load balancer together; the details show what is degraded.
 */
import type { FailureKind } from '../../rest/call/errors.ts';
import type { ObservedCall } from '../../rest/call/options.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import type { Logger } from './logs/logger.ts';
import type { CircuitStates } from '../../rest/policies/circuit-breaker.ts';

interface LastCall {
  /** Whether its status was below 500; null before the first call. */
  readonly answers: boolean | null;
  /** Null without a response. */
  readonly status: number | null;
  /** Kind of failure if there was no response. */
  readonly failure?: FailureKind;
}

/** Failures that do not concern the backend. */
const OF_GATEWAY: ReadonlySet<FailureKind> = new Set([
  'cancelled',
  'circuit_open',
  'overloaded',
  'out_of_files',
]);

/** Consecutive responses of 500 and above that count as an outage; one attempt without a response does too. */
const OUTAGE = 2;

interface ReadinessOptions {
  readonly breaker: CircuitStates;
  readonly trusted: Pick<TrustedDocuments, 'report'> | undefined;
  readonly warnings: readonly string[];
  readonly logger: Logger;
}

export class Readiness {
  readonly #options: ReadinessOptions;
  #draining = false;
  #last: LastCall = { answers: null, status: null };
  #failures = 0;
  /** Time of the first failure. */
  #sinceMs = 0;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Makes the process not ready permanently. */
  drain(): void {
    this.#draining = true;
  }

  get isOutage(): boolean {
    return this.#failures >= OUTAGE;
  }

  /** @param isLogged whether the failure is logged; otherwise its end is not logged either. */
  recordCall({ isSent, status, failure }: ObservedCall, isLogged: boolean): void {
    if (failure && OF_GATEWAY.has(failure)) return;
    this.#last =
      status === undefined
        ? { answers: false, status: null, ...(failure && { failure }) }
        : { answers: status < 500, status };
    if (!isSent) return;
    if (status !== undefined && status < 500) this.recordResponse();
    else if (status !== undefined) this.recordFailure(1);
    else if (isLogged) this.recordFailure();
  }

  recordFailure(failures = OUTAGE): void {
    if (this.#failures === 0) this.#sinceMs = performance.now();
    this.#failures += failures;
  }

  /** Logs the end of an outage, which failed calls, an open circuit or the probe at the start have reported. */
  recordResponse(): void {
    if (this.isOutage) {
      const unavailableMs = Math.round(performance.now() - this.#sinceMs);
      this.#options.logger.info({ unavailableMs }, 'Backend available again');
    }
    this.#failures = 0;
  }

  report() {
    const { breaker, trusted, warnings } = this.#options;
    const trustedDocuments = trusted?.report();
    // `{ "scope": "route_key", "route": "GET /v0/topics", "state": "open", "count": 2 }`
    const open = breaker.tripped.map(({ scope, route, state, count }) => ({
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
      upstream: { ...this.#last, breaker: breaker.stateOf('host'), open },
      ...(warnings.length > 0 && { warnings }),
      ...(trustedDocuments && { trustedDocuments }),
    };
  }
}
