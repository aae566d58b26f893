/**
 * The names of what is shared. None of them shows a caller's key: keys, channels and slow commands of Redis are seen
 * by everyone who operates it.
 */
import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * Before each name, as rules of an ACL have it. Its number is that of the format of what is stored: replicas of
 * another release that write another format read and write other names.
 */
export const PREFIX = 'gateway:1:';

/** Names that are remembered: a hash takes some microseconds. */
const MAX_REMEMBERED = 10_000;

export class Names {
  readonly #secret: string;
  readonly #backend: string;
  readonly #hashes = new LRUCache<string, string>({ max: MAX_REMEMBERED });

  /**
   * @param secret what the names cannot be worked out without.
   * @param backend gateways before another backend use other names.
   */
  constructor(secret: string, backend: string) {
    this.#secret = secret;
    this.#backend = backend;
  }

  /**
   * 128 bits of an HMAC, as base64url.
   *
   * @param id what a name is about: a caller's key, or a key and an object.
   */
  hash(id: string): string {
    let hash = this.#hashes.get(id);
    if (hash === undefined) {
      const hmac = createHmac('sha256', this.#secret).update(`${this.#backend}\n${id}`);
      hash = hmac.digest('base64url').slice(0, 22);
      this.#hashes.set(id, hash);
    }
    return hash;
  }
}
