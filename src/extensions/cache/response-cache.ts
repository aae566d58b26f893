/**
 * The response cache in memory, with a shared Redis as second level. Valid responses are reused for the lifetime of the
 * backend or `CACHE_TTL`, and then validated by conditional requests. Entries are by API key and forwarded headers, and
 * belong to an epoch of the key.
 */
import { isUtf8 } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { orUndefined } from '../../lib/or-undefined.ts';
import {
  isRead,
  NOW,
  type CachedFlight,
  type Call,
  type DecodedResponse,
  type RestResponse,
} from '../../rest/call/call.ts';
import type { CallLog, ExposedHeader } from '../../rest/call/call-log.ts';
import type { ReadCache } from '../../rest/call/options.ts';
import { bytesOf, freeze } from '../../rest/decode/decode-cache.ts';
import {
  freshnessOf,
  isOfAnother,
  renewed,
  validatorsOf,
  type Freshness,
  type StoredHeaders,
} from './freshness.ts';
import { Epochs, type Epoch } from './epochs.ts';
import type { FoundRead, RedisReads } from '../redis/shared-reads.ts';

/** Maximum share of memory of one response. */
const LARGEST_PART = 1 / 8;

const ENTRY_BYTES = 512;

interface ResponseCacheOptions {
  readonly maxBytes: number;
  /** Default lifetimes by path of the route, in milliseconds. */
  readonly ttls: ReadonlyMap<string, number>;
  /** Storage shared by replicas. @default none */
  readonly shared?: RedisReads | undefined;
}

interface Entry {
  readonly epoch: Epoch;
  readonly headers: StoredHeaders;
  /** On `performance.now()`'s clock. */
  readonly freshUntilMs: number;
  readonly decoded: DecodedResponse;
  readonly body: Uint8Array;
  readonly exposed: readonly ExposedHeader[] | undefined;
}

const tokens = new WeakMap<CallLog, string>();

/** Consistency token of the last write of a request; undefined without one. */
export const tokenOf = (callLog: CallLog): string | undefined => tokens.get(callLog);

export class ResponseCache implements ReadCache {
  readonly #ttls: ReadonlyMap<string, number>;
  readonly #shared: RedisReads | undefined;
  readonly #epochs: Epochs;
  readonly #entries: LRUCache<string, Entry>;
  /** Paths of routes with reusable responses; Redis is queried for these only. */
  readonly #routes: Set<string>;

  constructor({ maxBytes, ttls, shared }: ResponseCacheOptions) {
    this.#ttls = ttls;
    this.#shared = shared;
    this.#epochs = new Epochs(shared);
    this.#routes = new Set(ttls.keys());
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytes * LARGEST_PART,
      sizeCalculation: (entry, id) => ENTRY_BYTES + 2 * id.length + bytesOf(entry),
    });
  }

  open(): Promise<void> {
    return this.#epochs.open();
  }

  read(flight: CachedFlight): Promise<DecodedResponse> {
    return isRead(flight.call) ? this.#read(flight) : this.#write(flight);
  }

  /** Starts a new epoch before and after the write, since reads that began before its end may see either state. */
  async #write(flight: CachedFlight): Promise<DecodedResponse> {
    const { apiKey, callLog } = flight.call.from;
    const begun = await this.#epochs.move(apiKey);
    try {
      const settled = await flight.fetch();
      if (settled instanceof Error) throw settled;
      return flight.decode(settled);
    } finally {
      const moving = this.#epochs.move(apiKey);
      // Redis is not awaited again if it did not respond before.
      const ended = begun === undefined ? undefined : await moving;
      tokens.set(callLog, ended ?? this.#epochs.ownToken());
    }
  }

  async #read(flight: CachedFlight): Promise<DecodedResponse> {
    const { call } = flight;
    const { from, path, route } = call;
    const id = `${from.sharingKey}\n${path}`;
    let kept = this.#entries.get(id);
    if (kept && this.#mayAnswer(kept, call)) return answerWith(kept, flight);
    const found = await this.#find(call, id);
    if (found) kept = this.#take(found, flight, id) ?? kept;
    if (found && kept && this.#mayAnswer(kept, call)) return answerWith(kept, flight);

    const { epoch } = this.#epochs.of(from.apiKey);
    if (kept) flight.validators = validatorsOf(kept.headers, this.#isOfNow(kept, call));
    const askedMs = performance.now();
    let settled = await flight.fetch();
    if (kept && !(settled instanceof Error) && isOfAnother(settled, kept.headers)) {
      this.#entries.delete(id);
      kept = flight.validators = undefined;
      settled = await flight.fetch();
    }
    if (settled instanceof Error) throw settled;
    const { status, headers } = settled;
    const ttlMs = this.#ttls.get(route.path);
    if (kept && status === 304) {
      const exposed = merged(kept.exposed, flight.exposed);
      flight.exposed = exposed;
      const freshness = renewed(kept.headers, headers, ttlMs);
      this.#keep(id, call, { ...kept, epoch, exposed }, freshness, askedMs, found);
      return kept.decoded;
    }
    // The response replaces the cached one, even if it is not stored itself.
    if (status < 500) this.#entries.delete(id);
    const decoded = flight.decode(settled);
    if (status !== 200 || decoded.wrong.size > 0) return decoded;
    const freshness = freshnessOf(headers, ttlMs);
    const answer = { epoch, decoded, body: settled.body, exposed: flight.exposed };
    this.#keep(id, call, answer, freshness, askedMs, found);
    return decoded;
  }

  #mayAnswer(kept: Entry, call: Call): boolean {
    return performance.now() < kept.freshUntilMs && this.#isOfNow(kept, call);
  }

  /** Whether an entry includes all writes that the reader must see. */
  #isOfNow({ epoch }: Entry, { from: { apiKey }, newerThan }: Call): boolean {
    if (epoch !== this.#epochs.of(apiKey).epoch || newerThan === NOW) return false;
    return newerThan === undefined || this.#epochs.isAfter(apiKey, newerThan);
  }

  /** Looks up a read in Redis; undefined without a response or an epoch. */
  async #find({ from, route, newerThan }: Call, id: string): Promise<FoundRead | undefined> {
    const { apiKey } = from;
    if (!this.#shared || newerThan === NOW || !this.#routes.has(route.path)) return undefined;
    if (!(await this.#epochs.isSettled(apiKey))) return undefined;
    const { moves, shared } = this.#epochs.of(apiKey);
    const found = await this.#shared.find(apiKey, id, shared);
    // A write began or ended here meanwhile, which Redis may not have known.
    if (!found || this.#epochs.of(apiKey).moves !== moves) return undefined;
    this.#epochs.learn(apiKey, found.epoch);
    return found;
  }

  /** Stores a response of another replica from Redis. */
  #take({ epoch, kept }: FoundRead, flight: CachedFlight, id: string): Entry | undefined {
    const { apiKey } = flight.call.from;
    const own = this.#epochs.of(apiKey);
    // Not used after a later write received while Redis responded.
    if (!kept || own.shared !== epoch) return undefined;
    const read = readText(kept.text, (answer) => flight.decode(answer));
    if (!read || read.decoded.wrong.size > 0) return undefined;
    freeze(read.decoded.value as object);
    const { freshUntilMs } = kept;
    const entry = { ...read, epoch: own.epoch, freshUntilMs };
    this.#entries.set(id, entry);
    return entry;
  }

  #keep(
    id: string,
    { from: { apiKey }, route }: Call,
    answer: Omit<Entry, 'headers' | 'freshUntilMs'>,
    freshness: Freshness | undefined,
    askedMs: number,
    found: FoundRead | undefined,
  ): void {
    // Responses requested before or during a write are not stored.
    if (!freshness || this.#epochs.of(apiKey).epoch !== answer.epoch) return;
    const { headers, lifetimeMs } = freshness;
    freeze(answer.decoded.value as object);
    // Copied, since the body may be part of a larger buffer.
    const body = new Uint8Array(answer.body);
    const entry = { ...answer, body, headers, freshUntilMs: askedMs + lifetimeMs };
    this.#entries.set(id, entry);
    if (lifetimeMs <= 0) return;
    this.#routes.add(route.path);
    if (!found || this.#epochs.of(apiKey).shared !== found.epoch) return;
    // Redis stores strings only.
    if (isUtf8(body)) this.#shared?.keep(apiKey, id, found, entry.freshUntilMs, textOf(entry));
  }
}

function answerWith({ decoded, exposed }: Entry, flight: CachedFlight): DecodedResponse {
  const { from, route, origin } = flight.call;
  const { callLog } = from;
  callLog.end(callLog.begin(route, origin, 'cached', 1), decoded.status);
  flight.exposed = exposed;
  return decoded;
}

const merged = (
  kept: readonly ExposedHeader[] = [],
  told: readonly ExposedHeader[] = [],
): readonly ExposedHeader[] | undefined => {
  const all = [...new Map([...kept, ...told])];
  return all.length > 0 ? all : undefined;
};

const textOf = ({ headers, exposed, body }: Omit<Entry, 'freshUntilMs'>): string =>
  `${JSON.stringify({ headers, exposed })}\n${Buffer.from(body).toString()}`;

/** @returns undefined for strings not written by `textOf`. */
function readText(text: string, decode: (answer: RestResponse) => DecodedResponse) {
  const end = text.indexOf('\n');
  return orUndefined(() => {
    const head = JSON.parse(text.slice(0, end)) as Pick<Entry, 'headers' | 'exposed'>;
    const body = Buffer.from(text.slice(end + 1));
    return { ...head, body, decoded: decode({ status: 200, headers: head.headers, body }) };
  });
}
