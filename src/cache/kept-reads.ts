/**
 * Answers to reads that are kept in memory: used again for as long as the backend, or `CACHE_TTL`, says, and confirmed
 * by a conditional request after that.
 *
 * They are found by key and forwarded headers, so nothing crosses keys, and each belongs to a generation of its key.
 * Only whole answers of the documented shape are kept.
 */
import { LRUCache } from 'lru-cache';
import {
  isRead,
  type Call,
  type DecodedResponse,
  type Fetch,
  type Flight,
} from '../rest/call/call.ts';
import type { ExposedHeader } from '../rest/call/journal.ts';
import type { AskedBackend, ReadCache } from '../rest/client/pipeline.ts';
import { bytesOf } from '../rest/decode/decode-cache.ts';
import { freeze } from '../rest/decode/freeze.ts';
import {
  freshnessOf,
  renewed,
  validatorsOf,
  type Freshness,
  type KeptHeaders,
} from './freshness.ts';
import { Generations, type Generation } from './generations.ts';

/** The part of the memory that one answer may take. */
const LARGEST_PART = 1 / 8;

/** Memory of an entry itself, in bytes. */
const ENTRY_BYTES = 512;

export interface KeptReadsOptions {
  /** Memory for all that is kept, in bytes. */
  readonly maxBytes: number;
  /** Lifetimes in milliseconds where the backend states none, by the path of a route. */
  readonly ttls: ReadonlyMap<string, number>;
}

interface Entry {
  readonly generation: Generation;
  readonly headers: KeptHeaders;
  /** On `performance.now()`'s clock. */
  readonly freshUntilMs: number;
  readonly decoded: DecodedResponse;
  /** The bytes that it came in. */
  readonly body: Uint8Array;
  readonly exposed: readonly ExposedHeader[] | undefined;
}

export class KeptReads implements ReadCache {
  readonly #ttls: ReadonlyMap<string, number>;
  readonly #generations = new Generations();
  /** By sharing key and path. */
  readonly #entries: LRUCache<string, Entry>;

  constructor({ maxBytes, ttls }: KeptReadsOptions) {
    this.#ttls = ttls;
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytes * LARGEST_PART,
      sizeCalculation: (entry, id) => ENTRY_BYTES + 2 * id.length + bytesOf(entry),
    });
  }

  layer(backend: AskedBackend): Fetch {
    return (flight) =>
      isRead(flight.call) ? this.#read(flight, backend) : this.#write(flight, backend);
  }

  /** The generation moves before and after: reads that began before it ended may have seen either state. */
  async #write(flight: Flight, backend: AskedBackend): Promise<DecodedResponse> {
    const { call } = flight;
    this.#generations.move(call.apiKey);
    try {
      const settled = await backend.answerTo(flight);
      if (settled instanceof Error) throw settled;
      return backend.decode(call, settled);
    } finally {
      this.#generations.move(call.apiKey);
    }
  }

  async #read(flight: Flight, backend: AskedBackend): Promise<DecodedResponse> {
    const { call } = flight;
    const id = `${call.sharingKey}\n${call.path}`;
    const generation = this.#generations.of(call.apiKey);
    const kept = this.#entries.get(id);
    const mayAnswer = kept?.generation === generation && call.newerThan === undefined;
    if (kept && mayAnswer && performance.now() < kept.freshUntilMs) return answerWith(kept, flight);

    if (kept) flight.validators = validatorsOf(kept.headers, mayAnswer);
    const askedMs = performance.now();
    const settled = await backend.answerTo(flight);
    if (settled instanceof Error) throw settled;
    const { status, headers } = settled;
    const ttlMs = this.#ttls.get(call.route.path);
    if (kept && status === 304) {
      const exposed = merged(kept.exposed, flight.exposed);
      if (exposed) call.journal.expose((flight.exposed = exposed));
      const freshness = renewed(kept.headers, headers, ttlMs);
      this.#keep(id, call, { ...kept, generation, exposed }, freshness, askedMs);
      return kept.decoded;
    }
    // Whatever the backend says in its place.
    if (status < 500) this.#entries.delete(id);
    const decoded = backend.decode(call, settled);
    if (status !== 200 || !decoded.sound) return decoded;
    const freshness = freshnessOf(headers, ttlMs);
    const answer = { generation, decoded, body: settled.body, exposed: flight.exposed };
    this.#keep(id, call, answer, freshness, askedMs);
    return decoded;
  }

  #keep(
    id: string,
    { apiKey }: Call,
    answer: Omit<Entry, 'headers' | 'freshUntilMs'>,
    freshness: Freshness | undefined,
    askedMs: number,
  ): void {
    // Not what was asked for before a write that has ended meanwhile, or goes on.
    if (!freshness || this.#generations.of(apiKey) !== answer.generation) return;
    const { headers, lifetimeMs } = freshness;
    freeze(answer.decoded.value as object);
    // A copy, because the body may be a part of a larger buffer.
    const body = new Uint8Array(answer.body);
    this.#entries.set(id, { ...answer, body, headers, freshUntilMs: askedMs + lifetimeMs });
  }
}

function answerWith({ decoded, exposed }: Entry, flight: Flight): DecodedResponse {
  const { journal, route, origin } = flight.call;
  journal.end(journal.begin(route, origin, 'cached', 1), decoded.status);
  if (exposed) journal.expose((flight.exposed = exposed));
  return decoded;
}

const merged = (
  kept: readonly ExposedHeader[] = [],
  told: readonly ExposedHeader[] = [],
): readonly ExposedHeader[] | undefined => {
  const all = [...new Map([...kept, ...told])];
  return all.length > 0 ? all : undefined;
};
