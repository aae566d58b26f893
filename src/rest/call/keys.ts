/**
 * State of API keys and of the routes called with them.
 *
 * A request looks up its key once, and each call its route of the key once. Keys that the backend has never accepted
 * are stored only if their calls fail, so invented keys displace nothing.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Route } from '../../v0/routes.ts';
import type { Circuit } from './circuit.ts';

/** Maximum number of accepted keys. */
const MAX_ACCEPTED = 10_000;

/** Maximum number of keys whose calls failed before any was accepted. */
const MAX_FAILING = 1_000;

/**
 * Number of keys up to which a Map keeps those with nothing in flight. A Map from which keys come and go grows new tables,
 * and V8 promotes all of them.
 */
export const IDLE_KEYS = 1_000;

/** The calls of one route, of all keys. */
export class RouteLoad {
  /** Calls in flight. */
  active = 0;
  /** Reads, without retries, that the retry budget has not yet counted. */
  reads = 0;
  /** Tokens of the retry budget. */
  saved = 0;
}

export class KeyRoute {
  readonly key: ApiKey;
  readonly all: RouteLoad;
  /** Calls in flight. */
  active = 0;
  circuit: Circuit | undefined;

  constructor(key: ApiKey, all: RouteLoad) {
    this.key = key;
    this.all = all;
  }
}

export class ApiKey {
  readonly apiKey: string;
  /** Whether the backend's latest response accepted the key. */
  isAccepted = false;
  /** Whether it is stored, and so shared by requests. */
  isKnown = false;
  /** Calls in flight: all, and deferred ones. */
  active = 0;
  deferred = 0;
  /** Queued calls: all, and those that are not deferred. */
  queued = 0;
  waiting = 0;
  /** Least turn of its next request in the queue, while it has calls. */
  nextTurn = 0;
  readonly routes = new Map<Route, KeyRoute>();

  constructor(apiKey: string) {
    this.apiKey = apiKey;
  }
}

export class ApiKeys {
  /** Represents all keys not yet accepted, which share one turn. */
  readonly unaccepted = new ApiKey('');
  onForget: ((key: ApiKey) => void) | undefined;
  readonly routes = new Map<Route, RouteLoad>();
  readonly #accepted: LRUCache<string, ApiKey>;
  readonly #failing: LRUCache<string, ApiKey>;

  constructor() {
    const dispose = (key: ApiKey, _apiKey: string, reason: string): void => {
      if (reason !== 'evict') return;
      key.isKnown = key.isAccepted = false;
      this.onForget?.(key);
    };
    this.#accepted = new LRUCache({ max: MAX_ACCEPTED, dispose });
    this.#failing = new LRUCache({ max: MAX_FAILING, dispose });
  }

  find(apiKey: string): ApiKey | undefined {
    return this.#accepted.get(apiKey) ?? this.#failing.get(apiKey);
  }

  isAccepted(apiKey: string): boolean {
    return this.#accepted.has(apiKey);
  }

  accept(key: ApiKey): void {
    key.isAccepted = key.isKnown = true;
    this.#failing.delete(key.apiKey);
    this.#accepted.set(key.apiKey, key);
  }

  /** Removes a key that the backend has rejected. */
  reject(key: ApiKey): void {
    if (!key.isAccepted) return;
    key.isAccepted = false;
    this.#accepted.delete(key.apiKey);
    this.#failing.set(key.apiKey, key);
  }

  /** Stores a key whose calls fail. */
  remember(key: ApiKey): void {
    key.isKnown = true;
    this.#failing.set(key.apiKey, key);
  }

  of(key: ApiKey, route: Route): KeyRoute {
    let found = key.routes.get(route);
    if (!found) {
      let all = this.routes.get(route);
      if (!all) this.routes.set(route, (all = new RouteLoad()));
      key.routes.set(route, (found = new KeyRoute(key, all)));
    }
    return found;
  }
}

/** Headers forwarded with each call (`FORWARD_HEADERS`): name, value, name, value; names in lower case. */
export type ForwardedHeaders = readonly string[];

export interface Identity {
  readonly apiKey: string;
  readonly forwarded: ForwardedHeaders;
}

/** Equal for callers that may share responses: all forwarded headers are equal. None of them has line breaks. */
export const sharingKeyOf = ({ apiKey, forwarded }: Identity): string =>
  forwarded.length === 0
    ? apiKey
    : // A hash: of constant length, without secrets in cache keys.
      `${apiKey}\n${hash('sha256', forwarded.join('\n'), 'base64url')}`;
