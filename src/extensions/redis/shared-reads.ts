/**
 * Responses shared by replicas, and the epochs of API keys: a response is used only in the epoch in which it was
 * requested.
 *
 * An epoch is the time of Redis in microseconds (16 digits), and higher than all epochs known to its users, so entries
 * from before a data loss are not used after it. Lifetimes use the clock of Redis, since those of replicas differ.
 */
import { PREFIX, type LuaScript, type Store } from './connection.ts';

const CHANNEL = `${PREFIX}generations`;

/** Time to live of an unused epoch, and maximum of an entry, in milliseconds. */
export const KEPT_MS = 24 * 3_600_000;

/** Maximum length of a shared text; longer ones are cached per process only. */
const MAX_LENGTH = 1_000_000;

/** KEYS epoch, entry. ARGV the highest epoch the caller knows, ms. Returns epoch, time, entry or ''. */
const FIND: LuaScript = {
  name: 'gatewayFindRead',
  lua: `
local time = redis.call('TIME')
local epoch = redis.call('GET', KEYS[1])
if not epoch or epoch < ARGV[1] then
  epoch = string.format('%016.0f', math.max(time[1] * 1000000 + time[2], tonumber(ARGV[1]) + 1))
  redis.call('SET', KEYS[1], epoch, 'PX', ARGV[2])
end
local entry = redis.call('GET', KEYS[2]) or ''
if string.sub(entry, 1, 16) ~= epoch then entry = '' end
return {epoch, string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), entry}
`,
};

/** KEYS epoch, entry. ARGV epoch, until when by the clock of Redis, text, ms. */
const KEEP: LuaScript = {
  name: 'gatewayKeepRead',
  lua: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local left = math.floor(tonumber(ARGV[2]) - time[1] * 1000 - time[2] / 1000)
if left < 1 then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3], 'PX', math.min(left, tonumber(ARGV[4])))
return 1
`,
};

/** KEYS epoch. ARGV the highest epoch the caller knows, ms, channel, hash of the key. Returns the new one. */
const MOVE: LuaScript = {
  name: 'gatewayMoveReads',
  lua: `
local time = redis.call('TIME')
local last = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), tonumber(ARGV[1]))
local epoch = string.format('%016.0f', math.max(time[1] * 1000000 + time[2], last + 1))
redis.call('SET', KEYS[1], epoch, 'PX', ARGV[2])
redis.call('PUBLISH', ARGV[3], ARGV[4] .. ' ' .. epoch)
return epoch
`,
};

declare module '../../gateway/extension.ts' {
  interface Offers {
    readonly sharedReads?: RedisReads | undefined;
  }
}

export interface FoundRead {
  readonly epoch: string;
  /** Times by the clock of Redis, and by `performance.now()` before and after. */
  readonly at: { readonly serverMs: number; readonly sentMs: number; readonly answeredMs: number };
  readonly kept: { readonly text: string; readonly freshUntilMs: number } | undefined;
}

interface MoveListener {
  /** @param key hash of the key. */
  onMove(key: string, epoch: string): void;
  /** Moves may have been missed, for example after a reconnect. */
  onGap(): void;
}

export class RedisReads {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  open({ onMove, onGap }: MoveListener): Promise<void> {
    return this.#store.connection.subscribe(CHANNEL, {
      onMessage: (text) => {
        const [key = '', epoch = ''] = text.split(' ');
        onMove(key, epoch);
      },
      onGap,
    });
  }

  hash(apiKey: string): string {
    return this.#store.hash(apiKey);
  }

  /** @param known highest known epoch; empty for none. @returns undefined without a response. */
  async find(apiKey: string, id: string, known: string): Promise<FoundRead | undefined> {
    const sentMs = performance.now();
    const answer = (await this.#store.connection.run(FIND, this.#namesOf(apiKey, id), [
      known || '0',
      KEPT_MS,
    ])) as readonly [epoch: string, time: string, entry: string] | undefined; // as the script returns
    if (!answer) return undefined;
    const [epoch, time, entry] = answer;
    const at = { serverMs: Number(time), sentMs, answeredMs: performance.now() };
    const [, until = ''] = entry.split(' ', 2);
    const kept = entry && {
      text: entry.slice(epoch.length + until.length + 2),
      freshUntilMs: sentMs + Number(until) - at.serverMs,
    };
    return { epoch, at, kept: kept || undefined };
  }

  /** Stores a response requested after `found`, unless its epoch has ended. */
  keep(apiKey: string, id: string, found: FoundRead, freshUntilMs: number, text: string): void {
    const { serverMs, answeredMs } = found.at;
    const until = Math.floor(serverMs + freshUntilMs - answeredMs);
    if (text.length > MAX_LENGTH || until <= serverMs) return;
    void this.#store.connection.run(KEEP, this.#namesOf(apiKey, id), [
      found.epoch,
      until,
      text,
      KEPT_MS,
    ]);
  }

  /** Starts a new epoch. @returns it; undefined without a response, though it may have started. */
  async move(apiKey: string, known: string): Promise<string | undefined> {
    const [name] = this.#namesOf(apiKey, '');
    const key = this.hash(apiKey);
    const epoch = await this.#store.connection.run(
      MOVE,
      [name!],
      [known || '0', KEPT_MS, CHANNEL, key],
    );
    return epoch as string | undefined; // as the script returns
  }

  #namesOf(apiKey: string, id: string): string[] {
    // In one slot of a cluster.
    const reads = `${PREFIX}reads:{${this.hash(apiKey)}}`;
    return [`${reads}:epoch`, `${reads}:${this.#store.hash(id)}`];
  }
}
