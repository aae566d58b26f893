/**
 * Discovery of the optional routes that the backend has, per process.
 *
 * With `auto` a 404 is ambiguous: the object or the route may be missing. After a success of a route, a 404 is about
 * the object. Before it, a read with an id known to exist decides. Decisions are reviewed, since deployments change,
 * and only the backend's documented errors decide immediately: a reloading proxy rejects any route for a moment.
 */
import type { Clock } from '../../lib/clock.ts';
import { SAMPLES, type SampleReader } from '../../v0/extended-routes.ts';
import type { PathValues } from '../../v0/route.ts';
import { extendedRoutes, routes, type Route, type RouteSet } from '../../v0/routes.ts';
import {
  hasKind,
  isNotFound,
  isRouteRejection,
  RestError,
  type RouteLabel,
} from '../call/errors.ts';
import type { UpstreamObserver } from '../call/options.ts';
import { capabilitiesWithout, type RouteCapabilities } from './route-capabilities.ts';

/** `unknown` until a response decides. */
export type RouteState = 'there' | 'missing' | 'unknown';

/** A caller of an undecided route, whose key, budget and deadline are used for the probe. */
export interface Discoverer extends SampleReader {
  /** Calls the route, for at most one item. */
  probe(path: PathValues): Promise<unknown>;
  /** Waits for another caller's probe until this caller's deadline or disconnect. */
  within(wait: Promise<unknown>): Promise<unknown>;
}

/** Time until a decision is reviewed, in milliseconds; doubles with each review that finds the route missing. */
const REVIEW_MS = 60_000;
const MAX_REVIEW_MS = 16 * REVIEW_MS;

/** Time after which rejections without a documented error decide, if no other response has come, in milliseconds. */
const UNDOCUMENTED_MS = 60_000;

class RouteStatus {
  state: RouteState;
  /** Time from which the decision is reviewed; `Infinity` if it is configured. */
  reviewMs = Infinity;
  everyMs = 0;
  /** Whether a missing route is called for a review. */
  isTried = false;
  /** Time of the first rejection without a documented error since another response. */
  rejectedMs: number | undefined;
  /** Latest probe; never rejects. */
  probe: Promise<unknown> | undefined;
  isReported = false;

  constructor(state: RouteState) {
    this.state = state;
  }
}

export class RouteDiscovery {
  /** Replaced when a route is found to be missing, is reviewed, or is found again. */
  capabilities: RouteCapabilities;
  readonly #routes: Map<Route, RouteStatus>;
  readonly #observer: UpstreamObserver;
  readonly #clock: Clock;

  constructor(routeSet: RouteSet | 'auto', observer: UpstreamObserver, clock: Clock) {
    const state = ({ auto: 'unknown', document: 'missing', extended: 'there' } as const)[routeSet];
    this.#routes = new Map(extendedRoutes.map((route) => [route, new RouteStatus(state)]));
    this.capabilities = this.#newCapabilities();
    this.#observer = observer;
    this.#clock = clock;
  }

  /** Lets requests from now on call the missing routes that are due for a review. */
  review(nowMs: number): void {
    let isNew = false;
    for (const route of this.#routes.values()) {
      if (route.state !== 'missing' || route.isTried || nowMs < route.reviewMs) continue;
      route.isTried = isNew = true;
    }
    if (isNew) this.capabilities = this.#newCapabilities();
  }

  /** Whether the response of a route is needed to decide whether the backend has it. */
  isUndecided(route: Route): boolean {
    const known = this.#routes.get(route);
    if (!known) return false;
    const { state, isTried, reviewMs } = known;
    return state === 'unknown' || isTried || (state === 'there' && this.#clock.now() >= reviewMs);
  }

  report(): Readonly<Record<string, RouteState>> {
    return Object.fromEntries(
      [...this.#routes].map(([{ method, path }, { state }]) => [`${method} ${path}`, state]),
    );
  }

  /**
   * Resolves the response of an undecided route.
   *
   * @param isOptional whether a 404 is null.
   * @throws {RestError} `unsupported` if the route is or may be missing, `invalid_response` if a rejection may pass.
   */
  async decide(
    response: Promise<unknown>,
    isOptional: boolean,
    route: Route,
    path: PathValues,
    caller: Discoverer,
  ): Promise<unknown> {
    try {
      const value = await response;
      this.#note(route, 'there');
      return value;
    } catch (error) {
      if (!isRejection(error, route)) throw error;
      if (!(await this.#isAboutObject(error, route, path, caller))) throw missingRoute(route);
      if (isOptional && isNotFound(error)) return null;
      throw error;
    }
  }

  async #isAboutObject(
    error: RestError,
    route: Route,
    path: PathValues,
    caller: Discoverer,
  ): Promise<boolean> {
    const known = this.#routes.get(route)!;
    if (this.#mayPass(error, known)) {
      const { state } = known;
      if (state === 'unknown') throw this.#undecidedBy(error, route);
      if (state === 'missing') this.#note(route, state);
      return state === 'there';
    }
    // The result of another caller's probe applies to this one too; if it is undecided, all waiting callers probe with
    // their own objects in parallel.
    if (known.probe) await caller.within(known.probe);
    if (!this.isUndecided(route)) return known.state === 'there';
    const probe = this.#probe(route, path, caller);
    known.probe = probe.catch(() => {});
    return probe;
  }

  /** Whether a rejection may be one of a proxy for a moment, and decides nothing. */
  #mayPass({ body }: RestError, known: RouteStatus): boolean {
    if (body === 'documented') {
      known.rejectedMs = undefined;
      return false;
    }
    const nowMs = this.#clock.now();
    known.rejectedMs ??= nowMs;
    return nowMs - known.rejectedMs < UNDOCUMENTED_MS;
  }

  #undecidedBy(error: RestError, route: Route): RestError {
    this.#reportUndecided(route);
    if (error.kind !== 'status') return error;
    const { status, requestId } = error;
    const what = `Backend returned ${status} without its documented error, so it is unknown whether it has the route`;
    return new RestError('invalid_response', what, route, { status, requestId, cause: error });
  }

  async #probe(route: Route, path: PathValues, caller: Discoverer): Promise<boolean> {
    const known = this.#routes.get(route)!;
    const sample = await SAMPLES.get(route)!(path, caller);
    if (sample === 'no sample') this.#reportUndecided(route);
    if (typeof sample === 'string') {
      if (known.state === 'missing') this.#note(route, 'missing');
      return sample === 'no parent';
    }
    const isThere = await caller.probe(sample).then(
      () => true,
      (error: unknown) => {
        if (!isRejection(error, route)) throw error;
        if (this.#mayPass(error, known)) throw this.#undecidedBy(error, route);
        return false;
      },
    );
    this.#note(route, isThere ? 'there' : 'missing');
    return isThere;
  }

  #reportUndecided(route: Route): void {
    const known = this.#routes.get(route)!;
    if (known.isReported) return;
    known.isReported = true;
    this.#observer.onUndecidedRoute?.(route);
  }

  #note(route: Route, state: 'there' | 'missing'): void {
    if (!this.isUndecided(route)) return;
    const known = this.#routes.get(route)!;
    const before = known.state;
    const isAgain = state === 'missing' && before === 'missing';
    known.everyMs = isAgain ? Math.min(known.everyMs * 2, MAX_REVIEW_MS) : REVIEW_MS;
    known.reviewMs = this.#clock.now() + known.everyMs;
    known.state = state;
    if (state === 'there') known.rejectedMs = undefined;
    if (known.isTried || before !== state) {
      known.isTried = false;
      this.capabilities = this.#newCapabilities();
    }
    if (state === before) return;
    if (state === 'missing') this.#observer.onMissingRoute?.(route);
    else if (before === 'missing') this.#observer.onFoundRoute?.(route);
  }

  #newCapabilities(): RouteCapabilities {
    const missing = [...this.#routes].filter(
      ([, { state, isTried }]) => state === 'missing' && !isTried,
    );
    return capabilitiesWithout(new Set(missing.map(([route]) => route)));
  }
}

/**
 * Whether a failure may mean that the backend lacks the route. A backend without `/v0/pages/search` may respond with
 * the page of id `search`.
 */
const isRejection = (error: unknown, route: Route): error is RestError =>
  isRouteRejection(error) ||
  (hasKind(error, 'invalid_response', 'truncated') && isTakenForAnother(route));

const isTakenForAnother = ({ method, path }: Route): boolean =>
  Object.values<Route>(routes).some(
    (other) =>
      other.path !== path &&
      other.method === method &&
      new RegExp(`^${other.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );

export const missingRoute = (route: RouteLabel): RestError =>
  new RestError(
    'unsupported',
    'Backend does not have this route, so omit the field, or select no more than its ids',
    route,
  );
