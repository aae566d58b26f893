/**
 * Reads over HTTP/2 where the backend offers it; everything else over a pool of HTTP/1.1.
 *
 * Not undici's `allowH2`: its client (7.30) loses calls when a backend ends a connection with GOAWAY,
 * leaves connections open that nobody closes, and lets a write wait behind the slowest read of its
 * connection. Writes stay with HTTP/1.1: whether one had left is known there.
 */
import { buildConnector, Dispatcher } from 'undici';
import { Http2Read, Http2Session } from './http2-session.ts';

/** How long a backend that chose HTTP/1.1 is not asked again, in milliseconds. */
const ASK_AGAIN_MS = 60_000;

interface Waiting {
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
}

export class Http2Dispatcher extends Dispatcher {
  readonly #url: URL;
  readonly #connect: buildConnector.connector;
  readonly #pool: Dispatcher;
  readonly #sessions = new Set<Http2Session>();
  /** Told to go away, with reads that are still being answered. */
  readonly #leaving = new Set<Http2Session>();
  #waiting: Waiting[] = [];
  #connecting = false;
  #plainUntilMs = 0;
  #closed = false;

  /** @param pool takes writes, and reads while the backend chooses HTTP/1.1. */
  constructor(origin: string, connect: buildConnector.BuildOptions, pool: Dispatcher) {
    super();
    this.#url = new URL(origin);
    this.#connect = buildConnector({ ...connect, allowH2: true });
    this.#pool = pool;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const plain = this.#closed || performance.now() < this.#plainUntilMs;
    if (plain || options.method !== 'GET') return this.#pool.dispatch(options, handler);
    this.#waiting.push({ options, handler });
    this.#sendWaiting();
    return true;
  }

  /** Ends when the calls under way have. */
  override async close(): Promise<void> {
    this.#closed = true;
    const sessions = [...this.#sessions, ...this.#leaving];
    await Promise.all([this.#pool.close(), ...sessions.map((session) => session.close())]);
  }

  override async destroy(): Promise<void> {
    this.#closed = true;
    for (const session of [...this.#sessions, ...this.#leaving]) session.destroy();
    await this.#pool.destroy();
  }

  #sendWaiting(): void {
    for (const session of this.#sessions) {
      while (session.hasRoom) {
        const next = this.#waiting.shift();
        if (!next) return;
        new Http2Read(next.handler).begin(session, this.#headersOf(next.options));
      }
    }
    if (this.#waiting.length > 0) this.#open();
  }

  /** Opens one connection at a time: the first to open takes all who wait, up to its room. */
  #open(): void {
    if (this.#connecting) return;
    this.#connecting = true;
    const { host, hostname, protocol, port } = this.#url;
    this.#connect({ host, hostname, protocol, port }, (...[error, socket]) => {
      this.#connecting = false;
      if (error) return this.#giveUp(error);
      if ('alpnProtocol' in socket && socket.alpnProtocol === 'h2' && !this.#closed) {
        const session = new Http2Session(this.#url.origin, socket, (ended) => this.#forget(ended));
        this.#sessions.add(session);
        return this.#sendWaiting();
      }
      socket.on('error', () => {}).destroy();
      this.#plainUntilMs = performance.now() + ASK_AGAIN_MS;
      for (const { options, handler } of this.#takeWaiting()) this.#pool.dispatch(options, handler);
    });
  }

  #giveUp(error: Error): void {
    for (const { handler } of this.#takeWaiting()) new Http2Read(handler).fail(error);
  }

  #takeWaiting(): Waiting[] {
    return this.#waiting.splice(0);
  }

  #forget(session: Http2Session): void {
    this.#sessions.delete(session);
    if (session.ended) this.#leaving.delete(session);
    else this.#leaving.add(session);
  }

  #headersOf({ path, headers }: Dispatcher.DispatchOptions): Record<string, string> {
    const given = headers as readonly string[]; // name, value, name, value: as Outgoing has them
    const fields: Record<string, string> = {
      ':method': 'GET',
      ':scheme': 'https',
      ':authority': this.#url.host,
      ':path': path,
    };
    for (let i = 0; i < given.length; i += 2) fields[given[i]!] = given[i + 1]!;
    return fields;
  }
}
