/**
 * Discovery of the extended routes that the backend has, per process.
 *
 * With `auto` a 404 is ambiguous: the object or the route may be missing. After the first success of a route, a 404 is
 * about the object. Before it, a read with an id that surely exists decides, for the life of the process.
 */
import { findSample, type SampleReader } from '../../v0/extended-routes.ts';
import type { PathValues } from '../../v0/route.ts';
import { extendedRoutes, routes, type Route, type RouteSet } from '../../v0/routes.ts';
import { hasKind, isNotFound, isRouteRefusal, RestError, type RouteLabel } from '../call/errors.ts';
import type { UpstreamObserver } from '../call/observer.ts';
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

export class RouteDiscovery {
  /** Replaced when a route is found to be missing. */
  capabilities: RouteCapabilities;
  readonly #states: Map<Route, RouteState>;
  /** Latest probe of a route; never rejects. */
  readonly #looks = new Map<Route, Promise<unknown>>();
  /** Routes reported as undecided. */
  readonly #undecided = new Set<Route>();
  readonly #observer: UpstreamObserver;

  /** @param routeSet assumed routes; `auto` assumes none. */
  constructor(routeSet: RouteSet | 'auto', observer: UpstreamObserver) {
    const state = ({ auto: 'unknown', document: 'missing', extended: 'there' } as const)[routeSet];
    this.#states = new Map(extendedRoutes.map((route) => [route, state]));
    this.capabilities = this.#newCapabilities();
    this.#observer = observer;
  }

  /** Whether a route is undecided. */
  isOpen(route: Route): boolean {
    return this.#states.get(route) === 'unknown';
  }

  /** States by method and path. */
  report(): Readonly<Record<string, RouteState>> {
    return Object.fromEntries(
      [...this.#states].map(([{ method, path }, state]) => [`${method} ${path}`, state]),
    );
  }

  /**
   * Resolves the response of an undecided route.
   *
   * @param isOptional whether a 404 is null.
   * @throws {RestError} `unsupported` if the route is or may be missing.
   */
  async settle(
    answer: Promise<unknown>,
    isOptional: boolean,
    route: Route,
    path: PathValues,
    caller: Discoverer,
  ): Promise<unknown> {
    try {
      const value = await answer;
      this.#note(route, 'there');
      return value;
    } catch (error) {
      if (!isRefusal(error, route)) throw error;
      if (!(await this.#isAboutObject(route, path, caller))) throw missingRoute(route);
      if (isOptional && isNotFound(error)) return null;
      throw error;
    }
  }

  async #isAboutObject(route: Route, path: PathValues, caller: Discoverer): Promise<boolean> {
    // The result of another caller's probe applies to this one too; if it is undecided, all waiting callers probe with
    // their own objects in parallel.
    const underWay = this.#looks.get(route);
    if (underWay) await caller.within(underWay);
    if (!this.isOpen(route)) return this.#states.get(route) === 'there';
    const look = this.#look(route, path, caller);
    this.#looks.set(
      route,
      look.catch(() => {}),
    );
    return look;
  }

  async #look(route: Route, path: PathValues, caller: Discoverer): Promise<boolean> {
    const sample = await findSample(route, path, caller);
    if (sample === 'no sample' && !this.#undecided.has(route)) {
      this.#undecided.add(route);
      this.#observer.onUndecidedRoute?.(route);
    }
    if (typeof sample === 'string') return sample === 'no parent';
    const isThere = await caller.probe(sample).then(
      () => true,
      (error: unknown) => {
        if (isRefusal(error, route)) return false;
        throw error;
      },
    );
    this.#note(route, isThere ? 'there' : 'missing');
    return isThere;
  }

  #note(route: Route, state: 'there' | 'missing'): void {
    if (!this.isOpen(route)) return;
    this.#states.set(route, state);
    if (state === 'there') return;
    this.capabilities = this.#newCapabilities();
    this.#observer.onMissingRoute?.(route);
  }

  #newCapabilities(): RouteCapabilities {
    const missing = [...this.#states].filter(([, state]) => state === 'missing');
    return capabilitiesWithout(new Set(missing.map(([route]) => route)));
  }
}

/**
 * Whether a failure may mean that the backend lacks the route. A backend without `/v0/pages/search` may respond with
 * the page of id `search`.
 */
const isRefusal = (error: unknown, route: Route): boolean =>
  isRouteRefusal(error) ||
  (hasKind(error, 'invalid_response', 'truncated') && isTakenForAnother(route));

const isTakenForAnother = ({ method, path }: Route): boolean =>
  Object.values<Route>(routes).some(
    (other) => other.path !== path && other.method === method && matches(other.path, path),
  );

/** Whether a path matches a template. */
function matches(template: string, path: string): boolean {
  const parts = path.split('/');
  const wanted = template.split('/');
  return (
    wanted.length === parts.length &&
    wanted.every((part, i) => part === parts[i] || (/^\{/.test(part) && !/^\{/.test(parts[i]!)))
  );
}

export const missingRoute = (route: RouteLabel): RestError =>
  new RestError(
    'unsupported',
    'Leave it out, or select no more than its ids: the backend does not have the route',
    route,
  );
