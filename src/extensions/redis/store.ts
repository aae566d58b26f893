/**
 * Names and scripts of the shared state. Operators of Redis see its keys, channels and slow commands, which must not
 * contain API keys.
 */
import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Prefix of all names, for rules of an ACL. The number is the version of the stored format. */
export const PREFIX = 'gateway:1:';

/** A Lua script as a custom command of ioredis, which sends only its hash if Redis knows it. */
export interface LuaScript {
  /** Must differ from commands of Redis. */
  readonly name: string;
  readonly lua: string;
}

export interface ChannelListener {
  onMessage(text: string): void;
  /** Messages may have been lost, since the connection was lost or Redis did not respond. */
  onGap(): void;
}

export interface Connection {
  /** Whether commands are sent. */
  readonly isAvailable: boolean;
  /** Resolves after the first attempt to connect; further attempts follow automatically. */
  open(): Promise<void>;
  /** @returns undefined without a response. */
  run(
    script: LuaScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown>;
  publish(channel: string, text: string): void;
  /** Resolves when subscribed, or when the subscription is deferred to a reconnect. A channel has one listener. */
  subscribe(channel: string, listener: ChannelListener): Promise<void>;
  /** Closes after the commands in flight. */
  close(): Promise<void>;
}

/** Maximum number of cached hashes; each takes some microseconds. */
const MAX_REMEMBERED = 10_000;

export interface Store {
  readonly connection: Connection;
  /** 128 bits of an HMAC, as base64url. @param id an API key, or a key and an object. */
  readonly hash: (id: string) => string;
}

/** @param backend URL of the backend, which is part of the hashes. */
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
