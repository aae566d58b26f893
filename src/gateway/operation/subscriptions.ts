/**
 * Open subscriptions of this process: their limit per key, and their end when the process stops.
 *
 * A stop ends connections: event streams, and sockets with all their subscriptions. The ends are spread over time to
 * spread the reconnects of clients.
 */
import type { ExecutionResult } from 'graphql';
import type { Clock } from '../../lib/clock.ts';
import { clientError } from './client-error.ts';
import type { Operation } from './operation.ts';
import type { EndCause, ResultKind } from './result-stream.ts';

export interface Drainable {
  drain(): void;
}

export interface EventCost {
  calls: number;
  rounds: number;
}

/** Observer of all streams. Methods must return quickly and not throw. */
export interface SubscriptionObserver {
  onResult(kind: ResultKind, result: ExecutionResult, operation: Operation): void;
  onEnd(cause: EndCause, operation: Operation, cost: Readonly<EventCost>): void;
}

export class Subscriptions {
  readonly #maxPerKey: number;
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  readonly #connections = new Set<Drainable>();
  #drainedMs: number | undefined;

  constructor(maxPerKey: number, clock: Clock) {
    this.#clock = clock;
    this.#maxPerKey = maxPerKey;
  }

  get size(): number {
    let size = 0;
    for (const count of this.#counts.values()) size += count;
    return size;
  }

  /**
   * Adds a subscription of a key.
   *
   * @returns a function that removes it.
   * @throws TOO_MANY_SUBSCRIPTIONS at the key's limit.
   */
  admit(apiKey: string): () => void {
    const count = this.#counts.get(apiKey) ?? 0;
    if (count >= this.#maxPerKey) {
      throw clientError(
        429,
        'TOO_MANY_SUBSCRIPTIONS',
        `Limit reached: ${count} open subscriptions per API key. End some first.`,
      );
    }
    this.#counts.set(apiKey, count + 1);
    return () => {
      const left = this.#counts.get(apiKey)! - 1;
      if (left > 0) this.#counts.set(apiKey, left);
      else this.#counts.delete(apiKey);
    };
  }

  /** Adds a connection that ends when the process stops. */
  add(connection: Drainable): void {
    this.#connections.add(connection);
    if (this.#drainedMs === undefined) return;
    const leftMs = Math.max(0, this.#drainedMs - this.#clock.now());
    this.#drainLater(connection, Math.random() * leftMs);
  }

  delete(connection: Drainable): void {
    this.#connections.delete(connection);
  }

  /** Ends all connections, spread over a time in milliseconds. */
  async drain(overMs: number): Promise<void> {
    this.#drainedMs = this.#clock.now() + overMs;
    const connections = [...this.#connections];
    connections.forEach((connection, i) => {
      this.#drainLater(connection, (overMs * i) / connections.length);
    });
    if (connections.length === 0) return;
    await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, overMs).unref());
  }

  #drainLater(connection: Drainable, afterMs: number): void {
    const end = () => {
      if (this.#connections.has(connection)) connection.drain();
    };
    this.#clock.setTimeout(end, afterMs).unref();
  }
}
