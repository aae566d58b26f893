/**
 * Names and scripts of the shared state. Operators of Redis see its keys, channels and slow commands, which must not
 * contain API keys.
 */

/** Prefix of all names, for rules of an ACL. The number is the version of the stored format. */
export const PREFIX = 'gateway:1:';

/** A Lua script as a custom command of ioredis, which sends only its hash if Redis knows it. */
export interface LuaScript {
  /** Must differ from commands of Redis. */
  readonly name: string;
  readonly lua: string;
}
