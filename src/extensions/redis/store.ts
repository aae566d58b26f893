/**
 * What the parts of the shared state need: a connection, and names in which no caller's key is seen. Keys, channels and
 * slow commands of Redis are seen by everyone who operates it.
 */
import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Connection } from './connection.ts';

/**
 * Before each name, as rules of an ACL have it. Its number is that of the format of what is stored: replicas of
 * another release that write another format read and write other names.
 */
export const PREFIX = 'gateway:1:';

/** Names that are remembered: a hash takes some microseconds. */
const MAX_REMEMBERED = 10_000;

export interface Store {
  readonly connection: Connection;
  /**
   * 128 bits of an HMAC, as base64url.
   *
   * @param id what a name is about: a caller's key, or a key and an object.
   */
  readonly hash: (id: string) => string;
}

/**
 * @param secret what the names cannot be worked out without.
 * @param backend gateways before another backend use other names.
 */
export function storeOn(connection: Connection, secret: string, backend: string): Store {
  const hashes = new LRUCache<string, string>({
    max: MAX_REMEMBERED,
    memoMethod: (id) => {
      const hmac = createHmac('sha256', secret).update(`${backend}\n${id}`);
      return hmac.digest('base64url').slice(0, 22);
    },
  });
  return { connection, hash: (id) => hashes.memo(id) };
}
