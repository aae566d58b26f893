/**
 * The connections to Redis or Valkey: one for commands, one for messages.
 *
 * Redis that is away, slow or empty is never an error here: what is asked of it has no answer then, and callers do
 * what they would do alone. Nothing waits longer than the timeout of a command.
 */
import { Redis, type RedisOptions } from 'ioredis';
import { Breaker } from './breaker.ts';

/** The longest wait for an answer, in milliseconds. */
const COMMAND_TIMEOUT_MS = 50;

const OPTIONS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  // A server that loads its data answers LOADING, which is no answer like others.
  enableReadyCheck: false,
  disableClientInfo: true,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: 500,
  keepAlive: 10_000,
  // Channels are subscribed to here: listeners want to know when they hear again.
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
};

/** The longest pause before it is connected to again, in milliseconds. */
const MAX_PAUSE_MS = 1_000;

/** Commands by how they ended: `skipped` were not sent, because none would have been answered. */
export type CommandOutcome = 'ok' | 'timeout' | 'failed' | 'skipped';

/** Every method must return quickly and not throw. */
export interface ConnectionObserver {
  onCommand?(outcome: CommandOutcome): void;
  /** Redis answers, or does not; also once after the start. @param why a code or a word of the failure. */
  onChange?(isAvailable: boolean, why: string | undefined): void;
  /** Redis refuses a command. @param why the word that its refusal begins with, such as NOPERM. */
  onRefusal?(why: string): void;
}

/** A command of our own, which ioredis defines: it sends the hash of the text where Redis knows it. */
export interface Script {
  /** Unlike Redis' own commands. */
  readonly name: string;
  readonly lua: string;
}

/** What is heard on a channel. */
export interface ChannelListener {
  onMessage(text: string): void;
  /** Messages may have been lost: the connection was, or Redis did not answer. */
  onGap(): void;
}

export interface Connection {
  /** Whether commands are sent. */
  readonly isAvailable: boolean;
  /** Connects, and resolves once it has or has failed once; it goes on trying by itself. */
  open(): Promise<void>;
  /** @returns undefined where there is no answer. */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown>;
  publish(channel: string, text: string): void;
  /** Resolves once messages are heard, or will be when Redis is back. A channel has one listener. */
  subscribe(channel: string, listener: ChannelListener): Promise<void>;
  /** After the commands under way. */
  close(): Promise<void>;
}

/** @param url `redis://`, `rediss://` or `unix://`. */
export function createConnection(url: string, observer: ConnectionObserver = {}): Connection {
  const where = url.replace(/^unix:\/\//, '');
  const listeners = new Map<string, ChannelListener>();
  let isReady = false;
  /** What was told last. */
  let told: boolean | undefined;
  let why: string | undefined;
  let isEnding = false;

  const isAvailable = (): boolean => isReady && breaker.isClosed;
  const tell = (): void => {
    if (isEnding || isAvailable() === told) return;
    told = isAvailable();
    observer.onChange?.(told, told ? undefined : why);
    if (told) for (const listener of listeners.values()) listener.onGap();
  };
  const breaker = new Breaker({
    probe: () =>
      commands.ping().then(
        () => true,
        () => false,
      ),
    onChange: (isClosed) => {
      if (!isClosed) why = 'timeout';
      tell();
      // A subscription that was not confirmed meanwhile is asked for again.
      if (isClosed) void listenAgain();
    },
  });

  const commands = clientOf(where, () => {
    isReady = true;
    why = undefined;
    tell();
  });
  const messages = clientOf(where, () => void listenAgain());
  commands.on('error', (error: NodeJS.ErrnoException) => {
    why = reasonOf(error);
    if (!isReady) tell();
  });
  // What ails this connection ails the other one, which says so.
  messages.on('error', () => {});
  commands.on('close', () => {
    isReady = false;
    why ??= 'closed';
    tell();
  });
  messages.on('message', (channel: string, text: string) =>
    listeners.get(channel)?.onMessage(text),
  );

  /** @returns undefined where there is no answer. */
  async function answerOf<Answer>(send: () => Promise<Answer>): Promise<Answer | undefined> {
    if (!isAvailable()) {
      observer.onCommand?.('skipped');
      return undefined;
    }
    const sentMs = performance.now();
    try {
      const answer = await send();
      breaker.answered();
      observer.onCommand?.('ok');
      return answer;
    } catch (error) {
      const { name, message } = error as Error; // ioredis rejects with nothing else
      const isTimeout = message === 'Command timed out';
      if (isTimeout) breaker.timedOut(sentMs);
      else if (name === 'ReplyError') observer.onRefusal?.(reasonOf(error as Error));
      observer.onCommand?.(isTimeout ? 'timeout' : 'failed');
      return undefined;
    }
  }

  async function listenAgain(): Promise<void> {
    const channels = [...listeners.keys()];
    if (channels.length > 0) await messages.subscribe(...channels).catch(() => {});
    for (const channel of channels) listeners.get(channel)?.onGap();
  }

  return {
    get isAvailable() {
      return isAvailable();
    },
    open: async () => {
      await Promise.all(
        [commands, messages].map((client) =>
          client
            .connect()
            .then(() => client.ping())
            .catch(() => {}),
        ),
      );
    },
    run: ({ name, lua }, keys, args) =>
      answerOf(() => {
        if (!(name in commands)) commands.defineCommand(name, { lua });
        // ioredis types no command that is defined at run time.
        const defined = commands as unknown as Record<
          string,
          (...args: unknown[]) => Promise<unknown>
        >;
        return defined[name]!(keys.length, ...keys, ...args);
      }),
    publish: (channel, text) => void answerOf(() => commands.publish(channel, text)),
    subscribe: async (channel, listener) => {
      listeners.set(channel, listener);
      if (isAvailable()) await messages.subscribe(channel).catch(() => {});
    },
    close: async () => {
      isEnding = true;
      breaker.end();
      messages.disconnect();
      if (isAvailable()) await commands.quit().catch(() => {});
      commands.disconnect();
    },
  };
}

/**
 * A connection that counts as ready after a PING. ioredis reports `ready` before Redis refuses a wrong password, and
 * resets its pauses between attempts each time.
 */
function clientOf(where: string, onReady: () => void): Redis {
  let attempts = 0;
  let isRefused = false;
  const retryStrategy = () => Math.min(50 * (attempts += 1), MAX_PAUSE_MS);
  const client = new Redis(where, { ...OPTIONS, retryStrategy });
  // A PING that fails counts as well: where Redis is frozen, or its ACL lacks PING, each command times out or fails by itself.
  const answered = (): void => {
    if (isRefused || client.status !== 'ready') return;
    attempts = 0;
    onReady();
  };
  client.on('error', () => {
    isRefused = true;
  });
  client.on('ready', () => {
    isRefused = false;
    client.ping().then(answered, answered);
  });
  return client;
}

/** The code of a failed connection, or the word with which Redis begins a refusal: never more of its text. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code ?? /^[A-Z]{4,20}\b/.exec(message)?.[0] ?? 'failed';
}
