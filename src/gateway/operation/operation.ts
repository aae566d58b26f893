/**
 * An operation: the record of a request from arrival to response.
 *
 * Created by the transport, and passed through all policies. All fields are initialised, for one object shape; a
 * policy keeps its own state under a `StateKey`.
 */
import { randomUUID } from 'node:crypto';
import type {
  DocumentNode,
  GraphQLError,
  GraphQLSchema,
  OperationDefinitionNode,
  ExecutionArgs,
} from 'graphql';
import type { ErrorBehavior } from '../../execution/core/executor.ts';
import type { FragmentDelivery } from '../../execution/incremental/delivery.ts';
import type { Context } from '../../graph/context.ts';
import { Cancel } from '../../lib/cancel.ts';
import type { ReceiveRefusal } from '../../rest/call/errors.ts';
import type { RestClient } from '../../rest/client/client.ts';
import { API_KEY_HEADER } from '../../v0/api-key.ts';
import type { Document, OperationDefinition } from './document.ts';
import type { PartsReader } from './negotiation.ts';
import type { ResultParts } from './result-parts.ts';
import type { ResultStream } from './result-stream.ts';
import type { OperationTrace } from './trace-context.ts';

/** Headers by name in lower case; repeated headers are joined. */
export type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

export interface Transport {
  /** `http`, `websocket`, or that of an extension. */
  readonly name: string;
  readonly path: string;
  /** Whether it writes several results: always, to callers that accept events, or never. */
  readonly streams: 'always' | 'accepted' | 'never';
  readonly onlySubscriptions: boolean;
}

/** State of a request since its arrival, which the HTTP server shares with the operation. */
export interface Arrival {
  readonly requestId: string;
  /** On `performance.now()`'s clock, in milliseconds. */
  readonly startedMs: number;
  readonly cancel: Cancel;
  unreadable: GraphQLError | undefined;
  permit: HeldPermit | undefined;
  /** Cuts the connection; set while its transport sends the response, after which it calls `releaseResponse`. */
  cut: (() => void) | undefined;
}

export interface HeldPermit {
  readonly received: number;
  /** Counts bytes of a backend response, and returns why they may not be received. */
  receive(bytes: number): ReceiveRefusal | undefined;
  /** Execution has ended; a response of this size waits to be sent. @param onCut ends the wait. */
  holdResponse(bytes: number, onCut: () => void): void;
  /** Idempotent. */
  release(): void;
}

/** Called when the response is sent or cancelled. */
export function releaseResponse(arrival: Arrival): void {
  arrival.cut = undefined;
  arrival.permit?.release();
}

/**
 * @param requestId the caller's id; used if it fits into a header and a log line.
 * @param cut passed, not assigned later: V8 allocates a function literal that is assigned to a property in its old
 * generation, where it would retain the request until a full collection.
 */
export const arrive = (
  requestId: string | string[] | null | undefined,
  cut?: () => void,
): Arrival => ({
  requestId:
    typeof requestId === 'string' && SANE_REQUEST_ID.test(requestId) ? requestId : randomUUID(),
  startedMs: performance.now(),
  cancel: new Cancel(),
  unreadable: undefined,
  permit: undefined,
  cut,
});

const SANE_REQUEST_ID = /^[\w.:=+/-]{1,128}$/;

/** Headers with an app's name and version: of GraphQL over HTTP's clients, then Apollo's. */
export const CLIENT_NAME_HEADERS = ['graphql-client-name', 'apollographql-client-name'] as const;
export const CLIENT_VERSION_HEADERS = [
  'graphql-client-version',
  'apollographql-client-version',
] as const;

/** Headers read while a stream is open. */
const STREAM_HEADERS = [API_KEY_HEADER, 'x-explain', 'traceparent', 'tracestate'];

export type TransportRequest = Pick<Operation, 'headers'> &
  Partial<Pick<Operation, 'method' | 'url' | 'body' | 'connectionParams' | 'document'>>;

/** A phase of an operation other than its calls; times of `performance.now()`. */
export interface PhaseTime {
  readonly name: 'parse' | 'validate' | 'plan' | 'execute';
  readonly startMs: number;
  readonly endMs: number;
}

/** A version of an app that has a manifest of trusted documents. */
export interface AppVersion {
  readonly app: string;
  readonly version: string;
}

/** Apps without a manifest of trusted documents. */
export const OTHER_APP: AppVersion = { app: 'other', version: 'other' };

let slots = 0;

/**
 * Key of the state that one policy keeps on each operation. Create it once, when its module is loaded: each key is a slot
 * of an array, so that all operations have one object shape.
 */
export class StateKey<State> {
  readonly #slot = slots++;

  get({ states }: Operation): State | undefined {
    return states?.[this.#slot] as State | undefined;
  }

  set(operation: Operation, state: State): void {
    const states = (operation.states ??= new Array<unknown>(slots));
    states[this.#slot] = state;
  }
}

export class Operation {
  /* The request; written by the transport. */

  readonly transport: Transport;
  readonly arrival: Arrival;
  /** HTTP method; undefined over a WebSocket. */
  readonly method: string | undefined;
  /** Path and query string; empty over a WebSocket. */
  readonly url: string;
  headers: HeaderFields;
  /** Payload of `connection_init` of a WebSocket, for plugins. */
  readonly connectionParams: Readonly<Record<string, unknown>> | undefined;
  /** Body of HTTP, or the unchecked parameters of other transports; released once they are read. */
  body: string | object | undefined;

  /* How far it came; undefined if it was rejected earlier. */

  /** Initially one chosen by the transport, which is trusted. */
  document: Document | undefined;
  /** The selected operation of the document. */
  definition: OperationDefinition | undefined = undefined;
  /** REST client of this request, with its call log; released at the end. */
  rest: RestClient | undefined = undefined;

  /* The caller. */

  /** Key of backend calls: the caller's, or the deployment's; undefined without both. Never shown or logged. */
  apiKey: string | undefined;
  /** App and version of the caller, as manifests name them; undefined without manifests. */
  app: AppVersion | undefined = undefined;

  /* The execution. */

  /** Bound on cached responses, set by the cache; undefined if any may be used. */
  newerThan: string | undefined = undefined;
  /** Writes of a mutation; undefined for other operations. */
  writes: Context['writes'] = undefined;
  /** Trace of its calls; undefined if the caller's is forwarded. */
  trace: OperationTrace | undefined = undefined;
  readonly phases: PhaseTime[] = [];

  /* The outcome. */

  /** Undefined unless the result is incremental. */
  parts: ResultParts | undefined = undefined;
  /** Undefined unless it is a subscription that has started. */
  stream: ResultStream | undefined = undefined;
  /** Errors sent to the caller, of all parts. */
  errors: readonly GraphQLError[] = [];
  hasData = false;
  /** Status by GraphQL over HTTP, independent of transport and media type. */
  strictStatus: number | undefined = undefined;
  /** Size of the compressed body; undefined for a subscription. */
  bytes: number | undefined = undefined;

  states: unknown[] | undefined = undefined;

  constructor(transport: Transport, arrival: Arrival, request: TransportRequest) {
    this.transport = transport;
    this.arrival = arrival;
    this.method = request.method;
    this.url = request.url ?? '';
    this.headers = request.headers;
    this.connectionParams = request.connectionParams;
    this.body = request.body;
    this.document = request.document;
    this.apiKey = this.callerKey;
  }

  /** Ends a phase. @param startMs on `performance.now()`'s clock. */
  endPhase(name: PhaseTime['name'], startMs: number): void {
    this.phases.push({ name, startMs, endMs: performance.now() });
  }

  get requestId(): string {
    return this.arrival.requestId;
  }

  get cancel(): Cancel {
    return this.arrival.cancel;
  }

  get operationName(): string | undefined {
    return this.definition?.name;
  }

  get operationType(): 'query' | 'mutation' | 'subscription' | undefined {
    return this.definition?.type;
  }

  /** Returns a header by its name in lower case. */
  header(name: string): string | undefined {
    const value = this.headers[name];
    // Node uses lists only for `set-cookie`, which is no request header.
    return typeof value === 'string' ? value : undefined;
  }

  get callerKey(): string | undefined {
    return this.header(API_KEY_HEADER);
  }

  get accept(): string | undefined {
    return this.header('accept');
  }

  get explain(): string | undefined {
    return this.header('x-explain');
  }

  get clientName(): string | undefined {
    return this.header(CLIENT_NAME_HEADERS[0]) ?? this.header(CLIENT_NAME_HEADERS[1]);
  }

  get clientVersion(): string | undefined {
    return this.header(CLIENT_VERSION_HEADERS[0]) ?? this.header(CLIENT_VERSION_HEADERS[1]);
  }

  /** Releases the request, which a stream would retain for hours. */
  releaseRequest(): void {
    const { headers } = this;
    this.headers = Object.fromEntries(STREAM_HEADERS.map((name) => [name, headers[name]]));
  }
}

/**
 * A valid operation that is executed: the arguments of its execution, with everything that plugins may have replaced.
 */
export interface ReadyOperation {
  readonly record: Operation;
  readonly definition: OperationDefinition;
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly operationName: string | null | undefined;
  readonly variableValues: ExecutionArgs['variableValues'];
  readonly contextValue: Context;
  readonly rootValue: unknown;
  readonly onError: ErrorBehavior;
  readonly isIncremental: boolean;
  readonly fragmentDelivery: FragmentDelivery | undefined;
  /** Undefined unless its result may be incremental. */
  readonly partsReader: PartsReader | undefined;
}

/** The end of an operation, for the log and the metrics. */
export interface Answered {
  /** HTTP status, or its equivalent for other transports. */
  readonly status: number;
  readonly outcome: Outcome;
  /** Time from arrival to response, in milliseconds. */
  readonly durationMs: number;
}

/**
 * - `ok`: data without errors.
 * - `partial`: data with errors.
 * - `refused`: no data; the caller's fault.
 * - `failed`: no data; the fault of the gateway or the backend.
 * - `abandoned`: cancelled by the caller.
 */
export type Outcome = 'ok' | 'partial' | 'refused' | 'failed' | 'abandoned';

/** Codes of server faults, in addition to those that begin with `UPSTREAM_`. */
const OURS: ReadonlySet<unknown> = new Set([
  'INTERNAL_SERVER_ERROR',
  'OUTCOME_UNKNOWN',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
]);

/** Codes that begin with `UPSTREAM_` but are client errors. */
const OF_CALLERS: ReadonlySet<unknown> = new Set([
  'UPSTREAM_BUDGET_EXCEEDED',
  'UPSTREAM_UNSUPPORTED',
]);

/** @param sent the sent status, used if there is no result. */
export function outcomeOf(
  { cancel, errors, hasData, strictStatus }: Operation,
  sent: number,
): Outcome {
  if (cancel.cancelled) return 'abandoned';
  const status = strictStatus ?? sent;
  if (status >= 500) return 'failed';
  // The gateway's own limit; an error about the backend's has status 200.
  if (status === 429) return 'refused';
  if (status < 400 && errors.length === 0) return 'ok';
  if (hasData) return 'partial';
  // An outage of the backend has status 200, with an error for each root field.
  return errors.some(({ extensions }) => isOurs(extensions['code'])) ? 'failed' : 'refused';
}

const isOurs = (code: unknown): boolean =>
  OURS.has(code) ||
  (typeof code === 'string' && code.startsWith('UPSTREAM_') && !OF_CALLERS.has(code));
