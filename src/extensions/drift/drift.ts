/**
 * Contract violations: responses that differ from the REST document. Counted by route, field and kind, without values.
 *
 * Samples the first response of a route and every hundredth, and those with decoding errors at most once per second.
 * Samples are checked in a separate pass.
 */
import type { z } from 'zod';
import type { DecodedResponse, RestResponse } from '../../rest/call/call.ts';
import { parseJson, utf8Of } from '../../rest/decode/json.ts';
import type { Route } from '../../v0/routes.ts';
import { pathsOf, walkAnswer, type ViolationKind } from './violations.ts';

export type DriftKind = ViolationKind | 'other_status';

/** A contract violation and its count. */
export interface ContractViolation {
  /** `GET /v0/pages/{page_id}`. */
  readonly route: string;
  /** `items.metadata.title`; empty for the whole response; the status for an undocumented one. */
  readonly field: string;
  readonly kind: DriftKind;
  /** Number of samples with the violation. */
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
  /** Documented object of the field. */
  readonly owner: z.ZodObject | undefined;
}

/** A documented field without a value in any sample for at least a week. */
export interface UnseenField {
  readonly route: string;
  readonly field: string;
  /** Time of its last value, or the start of the process. */
  readonly since: string;
}

const EVERY = 100;
const FAULTY_MS = 1_000;
const WEEK_MS = 7 * 24 * 3_600 * 1_000;

/** Maximum number of distinct violations of a route, since a backend may generate names. */
const MAX_VIOLATIONS = 100;

/** Statuses of interface.md and docs/assumptions.md, and that of conditional requests. */
const STATUSES: ReadonlySet<number> = new Set([
  200, 201, 204, 304, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504,
]);

interface Found {
  readonly field: string;
  readonly kind: DriftKind;
  readonly owner: z.ZodObject | undefined;
  readonly firstMs: number;
  lastMs: number;
  count: number;
}

interface RouteLook {
  answers: number;
  looked: number;
  lastFaultyMs: number;
  readonly found: Map<string, Found>;
  /** Time of a field's last value, in milliseconds of the clock. */
  readonly seen: Map<string, number>;
}

interface DriftOptions {
  /** Called for each violation of each sample. */
  readonly onViolation?: (route: Route, kind: DriftKind) => void;
  /** Clock in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

export class Drift {
  readonly #onViolation: DriftOptions['onViolation'];
  readonly #now: () => number;
  readonly #beganMs: number;
  readonly #routes = new Map<Route, RouteLook>();

  constructor({ onViolation, now = Date.now }: DriftOptions = {}) {
    this.#onViolation = onViolation;
    this.#now = now;
    this.#beganMs = now();
  }

  /** @param decoded undefined for error responses and undecodable ones. */
  onAnswer(route: Route, answer: RestResponse, decoded: DecodedResponse | undefined): void {
    const look = this.#lookOf(route);
    if (!STATUSES.has(answer.status)) this.#add(route, look, `${answer.status}`, 'other_status');
    if (answer.status >= 300) return;
    const isSampled = look.answers % EVERY === 0;
    look.answers += 1;
    if (decoded?.sound !== true) {
      const nowMs = this.#now();
      if (!isSampled && nowMs - look.lastFaultyMs < FAULTY_MS) return;
      look.lastFaultyMs = nowMs;
      // Parsed again, since decoding has replaced wrong values by errors.
      const body = utf8Of(answer.body, String(answer.headers['content-type']));
      this.#walk(route, look, body && parseJson(body));
    } else if (isSampled) {
      this.#walk(route, look, decoded.value);
    }
  }

  report() {
    const nowMs = this.#now();
    const routes = [...this.#routes].filter(([, { looked }]) => looked > 0);
    return {
      since: instant(this.#beganMs),
      answers: routes.map(([route, { answers, looked }]) => ({
        route: nameOf(route),
        answers,
        looked,
      })),
      departures: [...this.#routes].flatMap(([route, { found }]) =>
        [...found.values()].map(
          ({ field, kind, count, firstMs, lastMs, owner }): ContractViolation => ({
            route: nameOf(route),
            field,
            kind,
            count,
            owner,
            firstAt: instant(firstMs),
            lastAt: instant(lastMs),
          }),
        ),
      ),
      unseen: routes.flatMap(([route, { seen }]) =>
        pathsOf(route.response)
          .map((field) => ({ field, sinceMs: seen.get(field) ?? this.#beganMs }))
          .filter(({ sinceMs }) => nowMs - sinceMs >= WEEK_MS)
          .map(({ field, sinceMs }): UnseenField => ({
            route: nameOf(route),
            field,
            since: instant(sinceMs),
          })),
      ),
    };
  }

  #walk(route: Route, look: RouteLook, value: unknown): void {
    const nowMs = this.#now();
    look.looked += 1;
    const found = new Map<string, [string, ViolationKind, z.ZodObject | undefined]>();
    walkAnswer(route.response, value, {
      violation: (field, kind, owner) => found.set(`${kind} ${field}`, [field, kind, owner]),
      seen: (field) => look.seen.set(field, nowMs),
    });
    for (const [field, kind, owner] of found.values()) {
      this.#add(route, look, field, kind, owner);
    }
  }

  #add(
    route: Route,
    { found }: RouteLook,
    field: string,
    kind: DriftKind,
    owner?: z.ZodObject,
  ): void {
    this.#onViolation?.(route, kind);
    const nowMs = this.#now();
    const key = `${kind} ${field}`;
    let one = found.get(key);
    if (!one) {
      if (found.size >= MAX_VIOLATIONS) return;
      found.set(key, (one = { field, kind, owner, firstMs: nowMs, lastMs: nowMs, count: 0 }));
    }
    one.count += 1;
    one.lastMs = nowMs;
  }

  #lookOf(route: Route): RouteLook {
    let look = this.#routes.get(route);
    if (!look) {
      look = {
        answers: 0,
        looked: 0,
        lastFaultyMs: -Infinity,
        found: new Map<string, Found>(),
        seen: new Map<string, number>(),
      };
      this.#routes.set(route, look);
    }
    return look;
  }
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const instant = (ms: number): string => new Date(ms).toISOString();
