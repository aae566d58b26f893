/**
 * Which of the extended routes the backend has, for the whole process.
 *
 * With `auto` a refusal of such a route says nothing at first: the object may be missing, or the route. Only
 * once a route has answered a request is its refusal about the object. Before that, one read with an id
 * that is surely there shows which it is, and what it showed is believed until the process ends.
 */
import { findSample, type SampleReader } from '../../v0/extended-routes.ts';
import { extendedRoutes, routes, type Route, type RouteSet } from '../../v0/routes.ts';
import { hasKind, isNotFound, isRouteRefusal, RestError, type RouteLabel } from '../call/errors.ts';
import type { UpstreamObserver } from '../call/observer.ts';
import { capabilitiesWithout, type RouteCapabilities } from './route-capabilities.ts';

/** `unknown` until the first answer that tells. */
export type RouteState = 'there' | 'missing' | 'unknown';

type Parameters = Readonly<Record<string, string>>;

/** A caller of an open route. What it reads is read with its key, from its budget and within its time. */
export interface Discoverer extends SampleReader {
  /** Calls the route itself, for no more than one item. */
  probe(path: Parameters): Promise<unknown>;
  /** Ends a wait for what another caller began at the caller's own deadline, or when it leaves. */
  within(wait: Promise<unknown>): Promise<unknown>;
}

export class RouteDiscovery {
  /** Replaced by another when a route turns out to be missing. */
  capabilities: RouteCapabilities;
  readonly #states: Map<Route, RouteState>;
  /** The last look at a route, which never rejects. */
  readonly #looks = new Map<Route, Promise<unknown>>();
  /** Routes whose refusal could not be decided once, which was told. */
  readonly #undecided = new Set<Route>();
  readonly #observer: UpstreamObserver;

  /** @param routeSet what is believed without asking; `auto`: nothing. */
  constructor(routeSet: RouteSet | 'auto', observer: UpstreamObserver) {
    const state = ({ auto: 'unknown', document: 'missing', extended: 'there' } as const)[routeSet];
    this.#states = new Map(extendedRoutes.map((route) => [route, state]));
    this.capabilities = this.#newCapabilities();
    this.#observer = observer;
  }

  /** Whether a refusal of this route does not yet tell whether it is there. */
  isOpen(route: Route): boolean {
    return this.#states.get(route) === 'unknown';
  }

  /** By method and path. */
  report(): Readonly<Record<string, RouteState>> {
    return Object.fromEntries(
      [...this.#states].map(([{ method, path }, state]) => [`${method} ${path}`, state]),
    );
  }

  /**
   * The answer to a read of an open route.
   *
   * @param isOptional whether a 404 is an answer to the caller: null.
   * @throws {RestError} `unsupported` when the route is missing, or may be.
   */
  async settle(
    answer: Promise<unknown>,
    isOptional: boolean,
    route: Route,
    path: Parameters,
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

  async #isAboutObject(route: Route, path: Parameters, caller: Discoverer): Promise<boolean> {
    // What another caller's object shows of the route holds for this one too; where it shows nothing,
    // all who waited look at their own objects, side by side.
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

  async #look(route: Route, path: Parameters, caller: Discoverer): Promise<boolean> {
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
 * Whether a failure may mean that the backend does not have the route. A backend without `/v0/pages/search` may take it
 * for the page `search`, and answer with a page.
 */
const isRefusal = (error: unknown, route: Route): boolean =>
  isRouteRefusal(error) ||
  (hasKind(error, 'invalid_response', 'truncated') && isTakenForAnother(route));

const isTakenForAnother = ({ method, path }: Route): boolean =>
  Object.values<Route>(routes).some(
    (other) => other.path !== path && other.method === method && matches(other.path, path),
  );

/** Whether a path without parameters is one of a template's. */
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
