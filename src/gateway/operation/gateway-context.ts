/**
 * The context of an operation, for hooks of plugins and for resolvers.
 *
 * Plugins may add to it, or replace it. Yoga derives objects from it, so it has no private fields.
 */
import type { Context } from '../../graph/context.ts';
import type { Cancel } from '../../lib/cancel.ts';
import type { Operation } from './operation.ts';
import type { OperationParams } from './params.ts';

export class GatewayContext implements Context {
  /** The operation; documented are `requestId`, `operationName` and `operationType`. */
  readonly record: Operation;
  readonly cancel: Cancel;
  /* Set when they are read. */
  params!: OperationParams;
  /* Set before the phase `onContextBuilding`. */
  rest!: Context['rest'];
  identity!: Context['identity'];
  pollers: Context['pollers'] = undefined;
  writes: Context['writes'] = undefined;
  reads!: Context['reads'];
  /** Creates `request`; undefined if there is none, or before plugins may see it. */
  requestOf: ((operation: Operation) => Request) | undefined = undefined;
  requestMade: Request | undefined = undefined;

  constructor(record: Operation) {
    this.record = record;
    this.cancel = record.cancel;
  }

  /** Releases what is of the start of a stream, which would retain it for hours. */
  release(): void {
    this.rest = undefined as never; // contexts of events have their own
    this.reads = undefined as never;
  }

  /** The sender of the operation, with the headers that it has sent. */
  get caller() {
    const { method, callerKey, explain, accept } = this.record;
    return { method, apiKey: callerKey, explain, accept };
  }

  /** Payload of `connection_init`, as of Yoga with graphql-ws; undefined over other transports. */
  get connectionParams(): Operation['connectionParams'] {
    return this.record.connectionParams;
  }

  /** The HTTP request without its body, created when it is read; undefined over a WebSocket. */
  get request(): Request | undefined {
    return (this.requestMade ??= this.requestOf?.(this.record));
  }

  set request(request: Request | undefined) {
    this.requestMade = request;
  }
}
