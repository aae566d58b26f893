/**
 * The connections to Redis or Valkey: one for commands, one for messages. Without Redis, commands return undefined, and
 * callers continue as a single process. No wait is longer than the timeout of a command.
 */
import { createHmac } from 'node:crypto';
import { Redis, type RedisOptions } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { CONNECT_MS } from '../../rest/transport/connections.ts';

/** Prefix of all keys and channels, for rules of an ACL. The number is the version of the stored format. */
export const PREFIX = 'gateway:1:';

/** A Lua script as a custom command of ioredis, which sends only its hash if Redis knows it. */
export interface LuaScript {
  /** Must differ from commands of Redis. Operators see it in logs of slow commands. */
  readonly name: string;
  readonly lua: string;
}

export const COMMAND_TIMEOUT_MS = 50;

const OPTIONS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  // Checked here, by a script that writes.
  enableReadyCheck: false,
  disableClientInfo: true,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: CONNECT_MS,
  // Connections are closed only after an error or a timeout: there is nothing to wait for.
  disconnectTimeout: COMMAND_TIMEOUT_MS,
  keepAlive: 10_000,
  // Resubscribed here, to notify listeners of gaps.
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
};

export const MAX_TIMEOUTS = 3;

export const MAX_DELAY_MS = 1_000;

/**
 * Errors of a server that rejects writes or connections (a replica, a primary that cannot save or is loading), or of a
 * node of a cluster or a Sentinel. Redis 6 sends them inside the error of a script.
 */
const UNUSABLE =
  /(?:^|-)(READONLY|MASTERDOWN|LOADING|NOREPLICAS|MISCONF|CROSSSLOT|CLUSTERDOWN|ERR max number of clients|ERR unknown command|ERR SELECT is not allowed in cluster mode)\b/;

/**
 * Keys that are never stored. Their expiry shows whether a server is a primary, since replicas respond to PING but reject
 * writes, and whether it is a cluster, which rejects keys of two slots.
 */
const CHECK_KEYS = [`${PREFIX}check`, `${PREFIX}other-check`];

const CHECK = "return redis.call('PEXPIRE', KEYS[1], 1) + redis.call('PEXPIRE', KEYS[2], 1)";

/** Outcome of a command; `skipped`: not sent, since Redis is unavailable. */
export type CommandOutcome = 'ok' | 'timeout' | 'failed' | 'skipped';

/** Methods must return quickly and not throw. */
export interface ConnectionObserver {
  onCommand?(outcome: CommandOutcome): void;
  /** Called when the availability changes, and once after the start. @param why a code or a word of the failure. */
  onChange?(isAvailable: boolean, why: string | undefined): void;
  /** Called when Redis rejects a command. @param why first word of the error, such as NOPERM. */
  onRefusal?(why: string): void;
}

interface ChannelListener {
  onMessage(text: string): void;
  /** Messages may have been lost, since the connection was lost or Redis did not respond. */
  onGap(): void;
}

export type Connection = ReturnType<typeof createConnection>;

/** @param url `redis://`, `rediss://` or `unix://`. */
export function createConnection(url: string, observer: ConnectionObserver = {}) {
  const where = url.replace(/^unix:\/\//, '');
  let subscription: { readonly channel: string; readonly listener: ChannelListener } | undefined;
  let isReady = false;
  /** Last reported state. */
  let reported: boolean | undefined;
  let why: string | undefined;
  let unusable: string | undefined;
  /** Whether the connection for commands has ended since it was ready. */
  let hasLeft = false;
  let isEnding = false;

  let timeouts = 0;
  /** Time of the last counted timeout; commands sent before it do not count again. */
  let countedMs = -Infinity;

  const report = (): void => {
    if (isEnding || isReady === reported) return;
    reported = isReady;
    observer.onChange?.(reported, reported ? undefined : why);
    if (reported) subscription?.listener.onGap();
  };

  /** Reconnects at the third timeout: an unresponsive server would cost every request the whole timeout. */
  const countTimeout = (sentMs: number): void => {
    // A long turn of the event loop times out all commands in flight together.
    if (!isReady || sentMs < countedMs) return;
    countedMs = performance.now();
    timeouts += 1;
    if (timeouts < MAX_TIMEOUTS) return;
    isReady = false;
    why = 'timeout';
    report();
    // A host that is gone ends no connection for 15 minutes, and its address may lead to another one.
    commands.disconnect(true);
  };

  const onReady = (): void => {
    isReady = true;
    timeouts = 0;
    why = unusable = undefined;
    // The address may lead to another server by now, while the old one keeps its connections.
    if (hasLeft) messages.disconnect(true);
    hasLeft = false;
    report();
  };
  const onUnusable = (found: string): void => {
    isReady = false;
    // Reported also if Redis was unavailable for another reason before.
    if (unusable !== found) reported = undefined;
    why = unusable = found;
    report();
  };
  const commands = clientOf(where, onReady, onUnusable);
  const messages = clientOf(where, () => void resubscribe());
  commands.on('error', (error: NodeJS.ErrnoException) => {
    why = reasonOf(error);
    if (!isReady) report();
  });
  // The other connection reports the same errors.
  messages.on('error', () => {});
  commands.on('close', () => {
    isReady = false;
    hasLeft = true;
    why ??= 'closed';
    report();
  });
  messages.on('message', (_channel: string, text: string) =>
    subscription?.listener.onMessage(text),
  );

  /** @returns undefined without a response. */
  async function run(
    { name, lua }: LuaScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    if (!isReady) {
      observer.onCommand?.('skipped');
      return undefined;
    }
    if (!(name in commands)) commands.defineCommand(name, { lua });
    // ioredis has no types of custom commands.
    const defined = commands as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const sentMs = performance.now();
    try {
      const response = await defined[name]!(keys.length, ...keys, ...args);
      timeouts = 0;
      observer.onCommand?.('ok');
      return response;
    } catch (error) {
      const failure = error as Error; // ioredis rejects with Errors only
      const isLate = isTimeout(failure);
      if (isLate) countTimeout(sentMs);
      else if (failure.name === 'ReplyError' && !UNUSABLE.test(failure.message))
        observer.onRefusal?.(reasonOf(failure));
      observer.onCommand?.(isLate ? 'timeout' : 'failed');
      return undefined;
    }
  }

  async function resubscribe(): Promise<void> {
    if (!subscription) return;
    await messages.subscribe(subscription.channel).catch(() => {});
    subscription.listener.onGap();
  }

  return {
    /** Whether commands are sent. */
    get isAvailable() {
      return isReady;
    },
    /** Resolves after the first attempt to connect; further attempts follow automatically. */
    open: async (): Promise<void> => {
      await Promise.all(
        [commands, messages].map((client) =>
          client
            .connect()
            .then(() => client.ping())
            .catch(() => {}),
        ),
      );
    },
    run,
    /** Resolves when subscribed, or when the subscription is deferred to a reconnect. */
    subscribe: async (channel: string, listener: ChannelListener): Promise<void> => {
      subscription = { channel, listener };
      // Repeated after a reconnect.
      await messages.subscribe(channel).catch(() => {});
    },
    /** Closes after the commands in flight. */
    close: async (): Promise<void> => {
      isEnding = true;
      messages.disconnect();
      if (isReady) await commands.quit().catch(() => {});
      commands.disconnect();
    },
  };
}

/**
 * A connection that is ready after its check: ioredis reports `ready` before Redis rejects a wrong password, and then
 * resets its backoff. Reconnects if a server cannot be used, since its address may lead to another one by now.
 *
 * @param onUnusable called with the first words of each error of an unusable server.
 */
function clientOf(
  where: string,
  onReady: () => void,
  onUnusable: (why: string) => void = () => {},
): Redis {
  let attempts = 0;
  let isRefused = false;
  let isUnusable = false;
  const client = new Redis(where, {
    ...OPTIONS,
    retryStrategy: () => (isUnusable ? MAX_DELAY_MS : Math.min(50 * (attempts += 1), MAX_DELAY_MS)),
    reconnectOnError: ({ message }) => {
      const [, why] = UNUSABLE.exec(message) ?? [];
      if (why === undefined) return false;
      isUnusable = true;
      onUnusable(why);
      return true;
    },
  });
  /**
   * Whether Redis responds, if only with an error, since an ACL may lack the command. A connection alone proves nothing:
   * proxies accept connections for unavailable servers.
   */
  const responds = async (): Promise<boolean> => {
    try {
      await client.eval(CHECK, CHECK_KEYS.length, ...CHECK_KEYS);
      return true;
    } catch (error) {
      const failure = error as Error; // ioredis rejects with Errors only
      if (isTimeout(failure)) client.disconnect(true);
      return failure.name === 'ReplyError';
    }
  };
  client.on('error', () => {
    isRefused = true;
  });
  client.on('ready', () => {
    isRefused = false;
    isUnusable = false;
    void responds().then((is) => {
      if (!is || isRefused || isUnusable || client.status !== 'ready') return;
      attempts = 0;
      onReady();
    });
  });
  return client;
}

const isTimeout = ({ message }: Error): boolean => message === 'Command timed out';

/** Returns the code of a failed connection, or only the first word of an error of Redis. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code ?? /^[A-Z]{3,20}\b/.exec(message)?.[0] ?? 'failed';
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
