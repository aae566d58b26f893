/**
 * What is known of the keys that callers send, and of the routes that are called with them.
 *
 * A request finds its key once; each call finds its route of the key once, and counts there. A key that the backend has
 * never answered is remembered nowhere unless its calls fail, so that inventing keys displaces nothing.
 */
import { LRUCache } from 'lru-cache';
import type { Route } from '../../v0/routes.ts';
import type { Circuit } from './circuit.ts';

/** Keys that are remembered as accepted. */
const MAX_ACCEPTED = 10_000;

/** Keys whose calls have failed before any was answered. */
const MAX_FAILING = 1_000;

/** The calls of one route, of all keys. */
export class RouteLoad {
  /** Under way. */
  active = 0;
  /** Reads that were begun, retries not; and of those, how many the retry budget has counted. */
  reads = 0;
  countedReads = 0;
  /** Tokens of the retry budget. */
  saved = 0;
}

/** The calls of one route with one key. */
export class KeyRoute {
  readonly key: Key;
  readonly all: RouteLoad;
  /** Under way. */
  active = 0;
  circuit: Circuit | undefined;

  constructor(key: Key, all: RouteLoad) {
    this.key = key;
    this.all = all;
  }
}

export class Key {
  readonly apiKey: string;
  /** Whether the backend has lately answered it with anything but a refusal of the key. */
  isAccepted = false;
  /** Whether it is the one that others find too. */
  isKnown = false;
  /** Calls under way, all and deferred ones. */
  active = 0;
  deferred = 0;
  /** Calls in the queue, but for deferred ones. */
  waiting = 0;
  readonly routes = new Map<Route, KeyRoute>();

  constructor(apiKey: string) {
    this.apiKey = apiKey;
  }
}

export class Keys {
  /** Stands for all keys that the backend has not accepted yet: they take their turns as one. */
  readonly unaccepted = new Key('');
  /** Hears of keys that are forgotten. */
  onForget: ((key: Key) => void) | undefined;
  readonly routes = new Map<Route, RouteLoad>();
  readonly #accepted: LRUCache<string, Key>;
  readonly #failing: LRUCache<string, Key>;

  constructor() {
    const dispose = (key: Key, _apiKey: string, reason: string): void => {
      if (reason !== 'evict') return;
      key.isKnown = key.isAccepted = false;
      this.onForget?.(key);
    };
    this.#accepted = new LRUCache({ max: MAX_ACCEPTED, dispose });
    this.#failing = new LRUCache({ max: MAX_FAILING, dispose });
  }

  find(apiKey: string): Key | undefined {
    return this.#accepted.get(apiKey) ?? this.#failing.get(apiKey);
  }

  isAccepted(apiKey: string): boolean {
    return this.#accepted.has(apiKey);
  }

  /** The backend has answered a key. */
  accept(key: Key): void {
    key.isAccepted = key.isKnown = true;
    this.#failing.delete(key.apiKey);
    this.#accepted.set(key.apiKey, key);
  }

  /** The backend has refused a key that it may have accepted before. */
  refuse(key: Key): void {
    if (!key.isAccepted) return;
    key.isAccepted = false;
    this.#accepted.delete(key.apiKey);
    this.#failing.set(key.apiKey, key);
  }

  /** Remembers a key whose calls fail. */
  remember(key: Key): void {
    key.isKnown = true;
    this.#failing.set(key.apiKey, key);
  }

  /** What a key does with a route. */
  of(key: Key, route: Route): KeyRoute {
    let found = key.routes.get(route);
    if (!found) {
      let all = this.routes.get(route);
      if (!all) this.routes.set(route, (all = new RouteLoad()));
      key.routes.set(route, (found = new KeyRoute(key, all)));
    }
    return found;
  }
}
