/**
 * Which of the extended routes the backend has, for the whole process.
 *
 * With `auto` a refusal of such a route says nothing at first: the object may be missing, or the route. Only
 * once a route has answered a request is its refusal about the object. Before that, one read with an id
 * that is surely there shows which it is, and what it showed is believed until the process ends.
 */
import { findSample, type SampleReader } from '../../v0/extended-routes.ts';
import { extendedRoutes, type Route, type RouteSet } from '../../v0/routes.ts';
import {
  isMissingRoute,
  isNotFound,
  isRouteRefusal,
  RestUnsupportedError,
  type RouteLabel,
} from '../call/errors.ts';
import type { UpstreamObserver } from '../call/observer.ts';
import { dialectWithout, type Dialect } from './dialect.ts';
import type { CallInput } from './path.ts';

/** `unknown` until the first answer that tells. */
export type RouteState = 'there' | 'missing' | 'unknown';

/** Reads routes for one caller. */
interface RouteReader {
  /** Null for a 404. */
  find<Response>(
    route: Route<string, Response>,
    input: CallInput<string, unknown, unknown>,
  ): Promise<Response | null>;
  /** Whether an extended route answers, and does not refuse what is surely there. */
  isAnswered(route: Route, path: Readonly<Record<string, string>>): Promise<boolean>;
}

/** A read of an extended route. */
export interface DiscoveringRead {
  readonly route: Route;
  /** The values of its path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether a 404 is an answer to the caller: null. */
  readonly isOptional: boolean;
  /** Reads for the same caller: with its key, from its budget, within its time. */
  readonly reader: RouteReader;
  /** Ends a wait for what another caller began at the caller's own deadline, or when it leaves. */
  readonly within: (wait: Promise<unknown>) => Promise<unknown>;
}

export class RouteDiscovery {
  #dialect: Dialect;
  readonly #states = new Map<Route, RouteState>();
  readonly #underWay = new Map<Route, Promise<unknown>>();
  readonly #observer: Pick<UpstreamObserver, 'onMissingRoute'>;

  /** @param routeSet what is believed without asking; `auto`: nothing. */
  constructor(routeSet: RouteSet | 'auto', observer: Pick<UpstreamObserver, 'onMissingRoute'>) {
    const states = { auto: 'unknown', document: 'missing', extended: 'there' } as const;
    for (const route of extendedRoutes) this.#states.set(route, states[routeSet]);
    this.#dialect = this.#newDialect();
    this.#observer = observer;
  }

  /** Replaced by another when a route turns out to be missing. */
  get dialect(): Dialect {
    return this.#dialect;
  }

  /** Whether a refusal of this route does not yet tell whether it is there. */
  isOpen(route: Route): boolean {
    return this.#states.get(route) === 'unknown';
  }

  /** By method and path. */
  report(): Readonly<Record<string, RouteState>> {
    const states = [...this.#states].map(
      ([{ method, path }, state]) => [`${method} ${path}`, state] as const,
    );
    return Object.fromEntries(states);
  }

  /**
   * The answer to a read of an open route.
   *
   * @throws {RestUnsupportedError} when the route is missing, or may be.
   */
  async settle(read: DiscoveringRead, answer: Promise<unknown>): Promise<unknown> {
    const { route, isOptional } = read;
    try {
      const value = await answer;
      this.#note(route, 'there');
      return value;
    } catch (error) {
      if (!isRouteRefusal(error)) throw error;
      if (await this.#isAboutObject(read)) {
        if (isOptional && isNotFound(error)) return null;
        throw error;
      }
      throw missingRoute(route);
    }
  }

  async #isAboutObject(read: DiscoveringRead): Promise<boolean> {
    const { route, within } = read;
    // What another caller's object shows of the route holds for this one too; where it shows nothing,
    // all who waited look at their own objects, side by side.
    const underWay = this.#underWay.get(route);
    if (underWay) await within(underWay);
    if (!this.isOpen(route)) return this.#states.get(route) === 'there';
    const look = this.#look(read);
    const ended = look.then(
      () => {},
      () => {},
    );
    this.#underWay.set(route, ended);
    try {
      return await look;
    } finally {
      if (this.#underWay.get(route) === ended) this.#underWay.delete(route);
    }
  }

  async #look({ route, parameters, reader }: DiscoveringRead): Promise<boolean> {
    const sample = await findSample(route, parameters, samplesBy(reader));
    if (sample === 'no parent') return true;
    if (sample === 'no sample') return false;
    const isThere = await reader.isAnswered(route, sample);
    this.#note(route, isThere ? 'there' : 'missing');
    return isThere;
  }

  #note(route: Route, state: 'there' | 'missing'): void {
    if (!this.isOpen(route)) return;
    this.#states.set(route, state);
    if (state === 'there') return;
    this.#dialect = this.#newDialect();
    this.#observer.onMissingRoute?.(route);
  }

  #newDialect(): Dialect {
    const missing = [...this.#states].filter(([, state]) => state === 'missing');
    return dialectWithout(new Set(missing.map(([route]) => route)));
  }
}

export const missingRoute = (route: RouteLabel): RestUnsupportedError =>
  new RestUnsupportedError(
    'Leave it out, or select no more than its ids: the backend does not have the route',
    route,
  );

const samplesBy = (reader: RouteReader): SampleReader => ({
  find: (route, input) =>
    // What a route takes whose parameters the compiler does not know.
    reader
      .find(route, input as object as CallInput<string, unknown, unknown>)
      .catch((error: unknown) => {
        if (isMissingRoute(error, route)) return undefined;
        throw error;
      }),
});
