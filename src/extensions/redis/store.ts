/**
 * Connection and hashed names of the shared state. Operators of Redis see its keys, channels and slow commands, which
 * must not contain callers' keys.
 */
import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Connection } from './connection.ts';

/** Maximum number of cached hashes; each takes some microseconds. */
const MAX_REMEMBERED = 10_000;

export interface Store {
  readonly connection: Connection;
  /**
   * 128 bits of an HMAC, as base64url.
   *
   * @param id a caller's key, or a key and an object.
   */
  readonly hash: (id: string) => string;
}

/**
 * @param secret secret of the hashes.
 * @param backend URL of the backend, which is part of the hashes.
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
