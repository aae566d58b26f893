/**
 * Hands each new connection to the worker that serves the fewest.
 *
 * The primary keeps its descriptor of a connection until the worker has accepted it: if the worker
 * dies first, another gets the connection. node:cluster forgets such a connection and keeps it open,
 * so its caller waits for ever. With one shared socket no connection is lost either, but one worker
 * accepts almost all of those that come at once.
 */
import type { Worker } from 'node:cluster';
import { createServer, type Server, type Socket } from 'node:net';
import type { ToWorker } from './messages.ts';

/** How long a worker may take to accept before others are preferred, in milliseconds. */
const PATIENCE_MS = 50;

/** Connections that wait to be accepted; more are closed. */
const MAX_WAITING = 4_096;

interface Recipient {
  readonly worker: Worker;
  /** Connections it serves. */
  open: number;
  /**
   * The one it has not accepted yet. One at a time, since connections wait with a worker that
   * hangs.
   */
  offered: Socket | undefined;
  /** It has not accepted in time, or is stopping: other workers get the next connections. */
  passed: 'late' | 'leaving' | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class Handover {
  /** Accepts connections and reads nothing of them. */
  readonly server: Server;
  readonly #waiting: Socket[] = [];
  readonly #recipients = new Map<Worker, Recipient>();
  readonly #whenSettled: (() => void)[] = [];

  constructor() {
    this.server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
      this.#waiting.push(socket);
      this.#offer();
    });
    this.server.maxConnections = MAX_WAITING;
  }

  add(worker: Worker): void {
    this.#recipients.set(worker, {
      worker,
      open: 0,
      offered: undefined,
      passed: undefined,
      timer: undefined,
    });
    this.#offer();
  }

  /** The worker will not be offered another connection. */
  leave(worker: Worker): void {
    const recipient = this.#recipients.get(worker);
    if (recipient) recipient.passed = 'leaving';
    this.#offer();
  }

  /** The worker has ended: the connection it has not accepted goes to another. */
  remove(worker: Worker): void {
    const recipient = this.#recipients.get(worker);
    if (!recipient) return;
    this.#recipients.delete(worker);
    clearTimeout(recipient.timer);
    if (recipient.offered) this.#waiting.unshift(recipient.offered);
    this.#offer();
  }

  /** The worker has accepted what it was offered, and serves so many. */
  accepted(worker: Worker, open: number): void {
    const recipient = this.#recipients.get(worker);
    if (!recipient) return;
    clearTimeout(recipient.timer);
    // Closes the primary's descriptor; the connection goes on with the worker's.
    recipient.offered?.destroy();
    recipient.offered = undefined;
    if (recipient.passed === 'late') recipient.passed = undefined;
    this.serves(worker, open);
  }

  serves(worker: Worker, open: number): void {
    const recipient = this.#recipients.get(worker);
    if (!recipient) return;
    recipient.open = open;
    this.#offer();
  }

  /** Resolves when every connection has been accepted by a worker. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenSettled.push(resolve);
      this.#offer();
    });
  }

  /** Closes connections that no worker has accepted. */
  discard(): void {
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  #offer(): void {
    while (this.#waiting.length > 0) {
      const next = this.#leastLoaded();
      // Asked again when it has accepted, or is late.
      if (!next || next.offered) return;
      const socket = this.#waiting.shift()!; // there is one
      next.offered = socket;
      next.timer = setTimeout(() => {
        next.passed ??= 'late';
        this.#offer();
      }, PATIENCE_MS);
      // Sending to a worker that has ended fails; its `exit` event is handled elsewhere.
      const message: ToWorker = { type: 'connection' };
      next.worker.send(message, socket, { keepOpen: true }, () => {});
    }
    const recipients = [...this.#recipients.values()];
    if (recipients.every(({ offered }) => !offered))
      for (const resolve of this.#whenSettled.splice(0)) resolve();
  }

  #leastLoaded(): Recipient | undefined {
    let least: Recipient | undefined;
    for (const recipient of this.#recipients.values()) {
      if (!recipient.passed && (!least || recipient.open < least.open)) least = recipient;
    }
    return least;
  }
}
