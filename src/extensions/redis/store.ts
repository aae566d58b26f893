/**
 * Names and scripts of the shared state. Operators of Redis see its keys, channels and slow commands, which must not
 * contain API keys.
 */
import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Connection } from './connection.ts';

/** Prefix of all names, for rules of an ACL. The number is the version of the stored format. */
export const PREFIX = 'gateway:1:';

/** A Lua script as a custom command of ioredis, which sends only its hash if Redis knows it. */
export interface LuaScript {
  /** Must differ from commands of Redis. */
  readonly name: string;
  readonly lua: string;
}

/** Maximum number of cached hashes; each takes some microseconds. */
const MAX_REMEMBERED = 10_000;

export type Store = ReturnType<typeof storeOn>;

/** @param backend URL of the backend, which is part of the hashes. */
export function storeOn(connection: Connection, secret: string, backend: string) {
  const hashes = new LRUCache<string, string>({
    max: MAX_REMEMBERED,
    memoMethod: (id) => {
      const hmac = createHmac('sha256', secret).update(`${backend}\n${id}`);
      return hmac.digest('base64url').slice(0, 22);
    },
  });
  return {
    connection,
    /** 128 bits of an HMAC, as base64url. @param id an API key, or a key and an object. */
    hash: (id: string): string => hashes.memo(id),
  };
}
