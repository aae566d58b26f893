/**
 * Whether requests can be served now: not while draining, and only when the backend answers.
 *
 * The backend is reached by a probe, or by a call that is answered. It is probed at most once a second: when
 * readiness is asked for and it was not reached within that second, or when the outcome of a call does not
 * fit the last answer. So the answer recovers by itself. A probe that takes long is not waited for where the
 * backend was reached a short time ago.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureKind } from '../../rest/client/errors.ts';
import type { Breaker } from '../../rest/resilience/circuit-breaker.ts';
import { connectionFailureOf } from '../../rest/transport/transport-fault.ts';
import type { TrustedReport } from '../documents/trusted-documents.ts';

/** Asks the backend for something cheap: the status it answered, or a `ProbeError`. */
export type Probe = () => Promise<number>;

/** The backend did not answer. For logs only: callers learn no address. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  readonly host: string;
  readonly port: number;
  /** The system's code, such as `ECONNREFUSED`, or `timeout`. */
  readonly code: string;

  constructor(origin: string, cause: unknown) {
    super('The backend did not answer', { cause });
    const { protocol, hostname, port } = new URL(origin);
    this.host = hostname;
    this.port = Number(port || (protocol === 'https:' ? 443 : 80));
    this.code = codeOf(cause);
  }
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  if (cause.name === 'TimeoutError') return 'timeout';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}

interface Reached {
  readonly reachable: boolean;
  /** What it answered; null when nothing. */
  readonly status: number | null;
  /** Why it did not answer. */
  readonly failure?: FailureKind;
}

interface Probed extends Reached {
  /** For logs. */
  readonly cause?: unknown;
}

/** Why readiness changed, for logs. Never sent to callers: it names the backend's host. */
type Reason = Readonly<Record<string, string | number | null>>;

/**
 * Whether a status shows that the backend is there. A refusal does: without a key, 401 is what it answers. A
 * redirect is not followed, so it leads nowhere.
 */
export const isAnswer = (status: number): boolean => status < 500 && (status < 300 || status > 399);

/** How long the result of a probe, or the answer of a call, is used, in milliseconds. */
const KEEP_MS = 1_000;

/** How long the next probe is waited for where the backend was reached a short time ago, in milliseconds. */
const WAIT_MS = 20;

/** How long ago that may be, in milliseconds: a little more than the usual time between two requests. */
const GOOD_FOR_MS = 15_000;

interface ReadinessOptions {
  /** Called when readiness changes other than by draining; the first time when it is not ready. */
  readonly onChange?: (ready: boolean, reason: Reason) => void;
  readonly trustedDocuments?: { report(): TrustedReport } | undefined;
}

export class Readiness {
  #draining = false;
  readonly #probe: Probe;
  readonly #breaker: Breaker;
  #checkedAt = -Infinity;
  #upstream: Promise<Probed> | undefined;
  /** The last good result, and when the backend was last reached; undefined once it cannot be. */
  #good: { readonly probed: Probed; readonly atMs: number } | undefined;
  readonly #onChange: ReadinessOptions['onChange'];
  readonly #trusted: ReadinessOptions['trustedDocuments'];
  /** The last answer. */
  #ready = true;

  constructor(probe: Probe, breaker: Breaker, { onChange, trustedDocuments }: ReadinessOptions) {
    this.#trusted = trustedDocuments;
    this.#probe = probe;
    this.#breaker = breaker;
    this.#onChange = onChange;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** From now on not ready, for ever. */
  drain(): void {
    this.#draining = true;
  }

  /**
   * A call ended. When that does not fit the last answer, the backend is probed again, so that the
   * log shows changes without requests for readiness.
   *
   * @param status undefined where it was not answered.
   */
  noticeCall(status: number | undefined): void {
    const isAnswered = status !== undefined && isAnswer(status);
    if (isAnswered) this.#reach(this.#good?.probed ?? { reachable: true, status });
    if (isAnswered !== this.#ready && !this.#draining) void this.#ask().then(this.#notice);
  }

  async report() {
    const probed = await this.#askShortly();
    const { cause, ...reached } = probed;
    const { usable, breaker } = this.#notice(probed);
    const trustedDocuments = this.#trusted?.report();
    // Circuits by scope and route: `{ "scope": "route", "route": "GET /v0/topics", "state": "open", "count": 2 }`.
    const open = this.#breaker.tripped.map(({ scope, route, state, count }) => ({
      scope,
      ...(route && { route: `${route.method} ${route.path}` }),
      state,
      count,
    }));
    return {
      ready: usable && !this.#draining,
      // A part of the backend is left alone, or a file of trusted documents is bad; the rest is served.
      degraded: open.length > 0 || Boolean(trustedDocuments?.bad),
      draining: this.#draining,
      // Never an address or a key. `breaker` is the host's: `open` means that calls are refused for some seconds.
      upstream: { ...reached, breaker, open },
      ...(trustedDocuments && { trustedDocuments }),
    };
  }

  /** Whether calls can be made, for the log as well. */
  readonly #notice = ({ reachable, status, cause }: Probed) => {
    const breaker = this.#breaker.stateOf('host');
    const usable = reachable && breaker !== 'open';
    if (usable !== this.#ready && !this.#draining) {
      this.#ready = usable;
      this.#onChange?.(usable, { ...reasonOf(cause), status, breaker });
    }
    return { usable, breaker };
  };

  #reach(probed: Probed): void {
    this.#good = { probed, atMs: performance.now() };
  }

  /** The last good result, where the backend was reached within this time. */
  #reachedWithin(ms: number): Probed | undefined {
    return this.#good && performance.now() - this.#good.atMs < ms ? this.#good.probed : undefined;
  }

  /** The result of a probe, unless the backend was reached a short time ago and it takes long. */
  async #askShortly(): Promise<Probed> {
    const fresh = this.#reachedWithin(KEEP_MS);
    if (fresh) return fresh;
    const good = this.#reachedWithin(GOOD_FOR_MS);
    const probing = this.#ask();
    if (!good) return probing;
    const found = await Promise.race([probing, sleep(WAIT_MS)]);
    if (found) return found;
    void probing.then(this.#notice);
    return good;
  }

  #ask(): Promise<Probed> {
    const now = performance.now();
    if (!this.#upstream || now - this.#checkedAt > KEEP_MS) {
      this.#checkedAt = now;
      this.#upstream = this.#probe().then(
        (status) => this.#judge({ reachable: isAnswer(status), status }),
        (cause: unknown) =>
          this.#judge({ reachable: false, status: null, failure: failureOf(cause), cause }),
      );
    }
    return this.#upstream;
  }

  /** Where calls are answered, a probe that failed shows that its own route is gone, and no more. */
  #judge(probed: Probed): Probed {
    if (probed.reachable) this.#reach(probed);
    else {
      const fresh = this.#reachedWithin(KEEP_MS);
      if (fresh) return fresh;
      this.#good = undefined;
    }
    return probed;
  }
}

/** In words without an address, for callers. */
function failureOf(error: unknown): FailureKind {
  const cause = error instanceof ProbeError ? error.cause : error;
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'timeout';
  return connectionFailureOf(cause);
}

function reasonOf(cause: unknown): Reason {
  if (!(cause instanceof ProbeError)) return {};
  const { host, port, code } = cause;
  return { host, port, code };
}
