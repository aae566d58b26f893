/**
 * One HTTP/2 connection and the reads on it.
 *
 * Every read ends, whatever becomes of the connection: its stream's `close` is the one place where
 * it does, and Node emits that once for every stream. A connection that says nothing while a read
 * on it is given up is asked whether it lives; until it answers it gets no more reads.
 */
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { errors, type Dispatcher } from 'undici';

/** Reads at once on one connection; a backend may allow fewer. */
const MAX_STREAMS = 100;

/** How long a doubted connection has to answer a ping, in milliseconds. */
const PONG_WITHIN_MS = 1_000;

/** An idle connection is closed after this, in milliseconds. */
const IDLE_MS = 30_000;

/** What may arrive unread: of one answer, and of all on a connection. */
const STREAM_WINDOW = 1_048_576;
const CONNECTION_WINDOW = 8_388_608;

export class Http2Session {
  /** When something last arrived, on `performance.now()`'s clock. */
  heardMs = performance.now();
  readonly #session: ClientHttp2Session;
  readonly #socket: Socket;
  #open = 0;
  #doubted = false;
  #leaving = false;

  /** @param onEnd told when no read may begin here any more, and once more when none is left. */
  constructor(origin: string, socket: Socket, onEnd: (session: Http2Session) => void) {
    this.#socket = socket;
    this.#session = connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
    });
    const end = (): void => {
      this.#leave();
      onEnd(this);
    };
    this.#session
      .once('connect', () => this.#session.setLocalWindowSize(CONNECTION_WINDOW))
      // Every stream is told by itself.
      .on('error', end)
      .on('goaway', end)
      .on('close', end)
      // Every time: `setTimeout` itself would tell of the first only.
      .on('timeout', () => {
        if (this.#open === 0) this.#leave();
      })
      .setTimeout(IDLE_MS);
  }

  get ended(): boolean {
    return this.#session.destroyed;
  }

  get hasRoom(): boolean {
    const { closed, destroyed, remoteSettings } = this.#session;
    if (this.#leaving || this.#doubted || closed || destroyed) return false;
    const allowed = remoteSettings?.maxConcurrentStreams ?? MAX_STREAMS;
    return this.#open < Math.min(MAX_STREAMS, allowed || 1);
  }

  /** @throws when Node finds the connection unfit at the last moment. */
  open(headers: Record<string, string>): ClientHttp2Stream {
    const stream = this.#session.request(headers, { endStream: true });
    this.#open += 1;
    stream.once('close', () => {
      this.#open -= 1;
      if (this.#leaving) this.#leave();
    });
    return stream;
  }

  doubt(): void {
    if (this.#doubted || this.#session.destroyed) return;
    this.#doubted = true;
    const timer = setTimeout(() => this.destroy(), PONG_WITHIN_MS);
    const asked = this.#session.ping(() => {
      clearTimeout(timer);
      this.#doubted = false;
    });
    // It can't even be asked.
    if (!asked) this.destroy();
  }

  /** Ends when the reads under way have. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#session.destroyed) resolve();
      else this.#session.once('close', resolve);
      this.#leave();
    });
  }

  /** The socket too: a session that was told to go away would only end its half of it. */
  destroy(): void {
    this.#session.destroy();
    this.#socket.destroy();
  }

  /** The last read out closes the door: Node forgets to when a read was given up early. */
  #leave(): void {
    this.#leaving = true;
    if (this.#open === 0) this.destroy();
  }
}

/** One read, as undici's handlers want to be told of it. */
export class Http2Read implements Dispatcher.DispatchController {
  aborted = false;
  readonly paused = false;
  reason: Error | null = null;
  readonly #handler: Dispatcher.DispatchHandler;
  #stream: ClientHttp2Stream | undefined;
  #session: Http2Session | undefined;
  #beganMs = 0;
  #answered = false;
  #settled = false;
  #error: Error | undefined;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  begin(session: Http2Session, headers: Record<string, string>): void {
    this.#handler.onRequestStart?.(this, {});
    if (this.aborted) return;
    this.#session = session;
    this.#beganMs = performance.now();
    try {
      this.#stream = session.open(headers);
    } catch {
      this.fail(refusal());
      return;
    }
    this.#stream
      .on('response', (answer) => {
        session.heardMs = performance.now();
        if (this.#settled) return;
        this.#answered = true;
        this.#handler.onResponseStart?.(this, answer[':status'] ?? 0, answer);
      })
      .on('data', (chunk: Buffer) => {
        session.heardMs = performance.now();
        if (!this.#settled) this.#handler.onResponseData?.(this, chunk);
      })
      .on('error', (error: Error) => (this.#error = error))
      .on('end', () => this.#onEnd())
      .on('close', () => this.#onClose());
  }

  abort(reason: Error): void {
    if (this.#settled) return;
    this.aborted = true;
    this.reason = reason;
    const session = this.#session;
    if (session && session.heardMs < this.#beganMs) session.doubt();
    this.#stream?.close(constants.NGHTTP2_CANCEL);
    this.fail(reason);
  }

  fail(error: Error): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#handler.onResponseError?.(this, error);
  }

  /** Answers are read as they come. */
  pause(): void {}
  resume(): void {}

  #onEnd(): void {
    // Node ends a stream that was reset as well.
    if (this.#settled || !this.#answered || this.#stream?.rstCode !== 0) return;
    this.#settled = true;
    this.#handler.onResponseEnd?.(this, {});
  }

  #onClose(): void {
    const refused = this.#stream?.rstCode === constants.NGHTTP2_REFUSED_STREAM;
    const lost = new errors.SocketError('stream closed before its answer was whole');
    this.fail(refused ? refusal() : (this.#error ?? lost));
  }
}

/** The backend surely did nothing: told as undici tells the end of a connection that was idle. */
const refusal = (): Error =>
  Object.assign(new errors.SocketError('stream refused'), { socket: { bytesRead: 1 } });
