/**
 * Operations of one WebSocket, by the ids of its client.
 *
 * Not graphql-ws' server, which ends operations by id: a client may use an id again after `complete`, while the first
 * operation is still executed.
 */
import { MessageType } from 'graphql-ws';
import { clientError } from '../operation/client-error.ts';
import { releaseResponse, type Operation } from '../operation/operation.ts';
import { formatResult, formatError, statusOf } from '../operation/response.ts';
import type { Executed, Results } from '../policy.ts';
import type { OperationServer } from '../yoga/operation-server.ts';

interface SocketOperationsOptions {
  readonly server: OperationServer;
  /** Maximum number of open operations. */
  readonly maxPerSocket: number;
  /** Sends a message; resolves when it is written, or cannot be. */
  readonly send: (message: string) => Promise<void>;
  /** Closes the socket without waiting. */
  readonly cut: () => void;
}

/** A message with a single result. */
interface LastMessage {
  readonly type: MessageType.Next | MessageType.Error;
  /** In JSON. */
  readonly payload: string;
}

export class SocketOperations {
  readonly #options: SocketOperationsOptions;
  readonly #open = new Map<string, Operation>();

  constructor(options: SocketOperationsOptions) {
    this.#options = options;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** Whether a query or mutation, or an operation that may become one, is open. */
  get isBusy(): boolean {
    return [...this.#open.values()].some(({ stream }) => stream === undefined);
  }

  /** Executes an operation and sends its results. Resolves at its end. */
  async serve(id: string, operation: Operation): Promise<void> {
    this.#open.set(id, operation);
    const executed = await this.#execute(operation);
    const last =
      Symbol.asyncIterator in executed ? await this.#sendAll(id, operation, executed) : executed;
    if (last) await this.#send(id, operation, last.type, last.payload);
    releaseResponse(operation.arrival);
    if (this.#open.get(id) !== operation) return;
    this.#open.delete(id);
    // An error is the last message of its operation.
    if (last?.type !== MessageType.Error) {
      await this.#options.send(JSON.stringify({ id, type: MessageType.Complete }));
    }
  }

  /** Ends an operation for its client, which receives no more of it. Mutations are executed to their end. */
  complete(id: string): void {
    const operation = this.#open.get(id);
    if (!operation) return;
    this.#open.delete(id);
    operation.cancel.cancel();
    operation.stream?.close('left');
    releaseResponse(operation.arrival);
  }

  /** Ends all operations when their socket is closed. */
  close(): void {
    for (const id of this.#open.keys()) this.complete(id);
  }

  /** Reports an operation, and returns its results or its only message. */
  async #execute(operation: Operation): Promise<Results | LastMessage> {
    const { server } = this.#options;
    let status = 500;
    try {
      const { type, executed } = await this.#resultOf(operation);
      if (Symbol.asyncIterator in executed) {
        status = 200;
        // Its client left before it had a stream.
        if (operation.cancel.cancelled) operation.stream?.close('left');
        return executed;
      }
      // A plugin replaced the stream by a single result.
      operation.stream?.close('left');
      const result = server.settle(operation, executed);
      status = statusOf(result);
      const payload = JSON.stringify(
        type === MessageType.Error ? result.errors!.map(formatError) : formatResult(result),
      );
      operation.bytes = Buffer.byteLength(payload);
      operation.arrival.cut = operation.cancel.cancelled ? undefined : this.#options.cut;
      return { type, payload };
    } finally {
      server.end(operation, status);
    }
  }

  async #resultOf(operation: Operation): Promise<{
    readonly type: LastMessage['type'];
    readonly executed: Executed;
  }> {
    const { server, maxPerSocket } = this.#options;
    let type: LastMessage['type'] = MessageType.Error;
    try {
      if (this.#open.size > maxPerSocket) throw tooMany(maxPerSocket);
      const perform = await server.prepare(operation);
      if (typeof perform !== 'function') return { type, executed: { errors: perform } };
      type = MessageType.Next;
      // Its client left before it began.
      if (operation.cancel.cancelled) return { type, executed: { data: null } };
      return { type, executed: await perform() };
    } catch (error) {
      return { type, executed: { errors: [server.translate(error)] } };
    }
  }

  /** Sends the results of a subscription. @returns the last message if a plugin fails. */
  async #sendAll(
    id: string,
    operation: Operation,
    results: Results,
  ): Promise<LastMessage | undefined> {
    try {
      for await (const result of results) {
        if (operation.cancel.cancelled) break;
        // The next event is awaited when this one is written.
        await this.#send(id, operation, MessageType.Next, JSON.stringify(formatResult(result)));
      }
      return undefined;
    } catch (error) {
      operation.stream?.close('left');
      const translated = formatError(this.#options.server.translate(error));
      return { type: MessageType.Error, payload: JSON.stringify([translated]) };
    }
  }

  /** Sends a result to a client that still waits for it, serialised once. */
  async #send(id: string, operation: Operation, type: MessageType, payload: string): Promise<void> {
    if (operation.cancel.cancelled) return;
    await this.#options.send(`{"id":${JSON.stringify(id)},"type":"${type}","payload":${payload}}`);
  }
}

const tooMany = (max: number) =>
  clientError(
    429,
    'TOO_MANY_SUBSCRIPTIONS',
    `Limit of ${max} open operations per WebSocket reached. Complete some, or open another WebSocket.`,
  );
