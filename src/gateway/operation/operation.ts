/**
 * An operation: the one record of a request, from its arrival to its response.
 *
 * One object of one shape. Its transport makes it, the pipeline hands it from policy to policy, and resolvers get it
 * as their context.
 */
import { randomUUID } from 'node:crypto';
import type { ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import type { Context } from '../../graph/context.ts';
import { Cancel } from '../../lib/cancel.ts';
import type { Weighed } from '../../plan/weight.ts';
import type { RestClient } from '../../rest/client/client.ts';
import { API_KEY_HEADER } from '../../v0/api-key.ts';
import type { AppVersion } from './app-version.ts';
import type { Document, OperationDefinition } from './document.ts';
import type { Outcome } from './outcome.ts';
import type { OperationParams } from './params.ts';
import type { OperationResponse } from './response.ts';
import type { ResultParts } from './result-parts.ts';
import type { ResultStream } from './result-stream.ts';
import type { RecordedTrace } from './trace-context.ts';

/** Headers by their names in lower case, those that were sent twice joined. */
export type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

/** Abilities of a transport. */
export interface Transport {
  readonly name: 'http' | 'websocket' | 'mcp';
  /** Where it is asked. */
  readonly path: string;
  /** Whether it writes any number of results, whatever its caller accepts. */
  readonly streams: boolean;
  /** Whether it takes nothing but subscriptions. */
  readonly onlySubscriptions: boolean;
  /** Parameters before they are checked. @throws BAD_REQUEST */
  readonly readParams: (operation: Operation) => unknown;
}

/** The state of a request at its arrival. */
export interface Arrival {
  readonly requestId: string;
  /** On `performance.now()`'s clock, in milliseconds. */
  readonly startedMs: number;
  /** Cancelled when the connection closes before the response. */
  readonly cancel: Cancel;
  /** The error of a body that could not be read. */
  unreadable: GraphQLError | undefined;
  /** Its share of what is under way, from its admission until its response is sent. */
  permit: HeldPermit | undefined;
  /** Whether its transport calls `responseHasLeft` when the response is sent. */
  isSending: boolean;
}

/** An operation's share of what its key may have under way. */
export interface HeldPermit {
  /** The work is done, and a response of so many bytes is not sent yet. */
  answered(bytes: number): void;
  /** Again does nothing. */
  leave(): void;
}

/** The response is sent, or cancelled. */
export function responseHasLeft(arrival: Arrival): void {
  arrival.isSending = false;
  arrival.permit?.leave();
}

/** @param requestId the caller's own; kept when it fits into a header and a log line. */
export const arrive = (requestId: string | string[] | null | undefined): Arrival => ({
  requestId:
    typeof requestId === 'string' && SANE_REQUEST_ID.test(requestId) ? requestId : randomUUID(),
  startedMs: performance.now(),
  cancel: new Cancel(),
  unreadable: undefined,
  permit: undefined,
  isSending: false,
});

const SANE_REQUEST_ID = /^[\w.:=+/-]{1,128}$/;

/** Planned cost of an operation. */
export interface PlannedCost {
  /** REST calls; the most is infinite where the document does not say it. */
  readonly calls: { readonly least: number; readonly most: number };
  readonly rounds: number;
}

/** The headers in which apps name themselves: those of GraphQL over HTTP's clients, then Apollo's. */
export const CLIENT_NAME_HEADERS = ['graphql-client-name', 'apollographql-client-name'] as const;
export const CLIENT_VERSION_HEADERS = [
  'graphql-client-version',
  'apollographql-client-version',
] as const;

/** Headers that are read while a stream is open. */
const OF_STREAMS = [API_KEY_HEADER, 'x-explain', 'traceparent', 'tracestate'];

/** A request as its transport has read it. */
export interface OperationRequest {
  /** Of HTTP; undefined over a WebSocket. */
  readonly method?: string | undefined;
  /** The path and the query string; empty over a WebSocket. */
  readonly url?: string;
  readonly headers: HeaderFields;
  /** Of HTTP, as it was read. */
  readonly body?: string | undefined;
  /** Parameters that the transport has read by itself, before they are checked. */
  readonly given?: unknown;
  /** The document that the transport has chosen: it is trusted as it is. */
  readonly document?: Document | undefined;
}

export class Operation {
  readonly transport: Transport;
  readonly arrival: Arrival;
  readonly requestId: string;
  /** When it arrived, on `performance.now()`'s clock, in milliseconds. */
  readonly startedMs: number;
  /** Cancelled when the connection closes before the response. */
  readonly cancel: Cancel;

  readonly method: string | undefined;
  readonly url: string;
  headers: HeaderFields;
  body: string | undefined;
  readonly unreadable: GraphQLError | undefined;
  given: unknown;

  /** Checked parameters; those of an empty request until then. */
  params: OperationParams = NO_PARAMS;
  schema: GraphQLSchema;
  document: Document | undefined;
  /** The operation of the document that is executed; undefined until the document is parsed. */
  definition: OperationDefinition | undefined = undefined;
  operationName: string | undefined = undefined;
  operationType: 'query' | 'mutation' | 'subscription' | undefined = undefined;
  variables: Readonly<Record<string, unknown>> | null | undefined = undefined;
  rootValue: unknown = undefined;
  /** What resolvers get: the operation itself, unless a plugin gives something else. */
  contextValue: unknown;

  /** The key to call the backend with; undefined for what calls nothing. Never shown, never logged. */
  apiKey: string | undefined = undefined;
  /** The app that asks, where manifests of trusted documents name it. */
  app: AppVersion | undefined = undefined;
  /** Its trace, where that is recorded; null where it is not, undefined before that is decided. */
  trace: RecordedTrace | null | undefined = undefined;

  /** The backend as this request uses it, with its journal; from the context's making to the end. */
  rest: RestClient | undefined = undefined;
  identity: Context['identity'] | undefined = undefined;
  pollers: Context['pollers'] = undefined;
  readonly looksAhead = true;
  reads: Context['reads'] | undefined = undefined;

  /** Set for an operation that is compared with its plan. */
  planned: PlannedCost | undefined = undefined;
  /** REST calls that the limit of the key has counted before they are made. */
  callsTaken: number | undefined = undefined;
  /** The key whose share of the process it takes; empty for all that the backend has not accepted. Never shown. */
  share: string | undefined = undefined;
  /** Whether it has had a turn, or waits for one, to find out about its document. */
  hasTurn = false;
  /** Its weight, and whether it is within the budget for any variables. */
  weighed: Pick<Weighed, 'weight' | 'isWithin' | 'calls'> | undefined = undefined;

  /** Whether its execution was begun: client errors before it have no data and are no result. */
  hasBegun = false;
  /** Whether its result has passed the policies. */
  isFinal = false;
  result: ExecutionResult | undefined = undefined;
  /** The parts of a result in parts. */
  parts: ResultParts | undefined = undefined;
  /** The results of a subscription. */
  stream: ResultStream | undefined = undefined;
  response: OperationResponse | undefined = undefined;

  /** Errors that callers were told, of all parts. */
  errors: readonly GraphQLError[] | undefined = undefined;
  /** Whether any root field has a value. */
  hasData = false;
  strictStatus: number | undefined = undefined;
  /** Cost of a subscription's events so far. */
  eventCalls = 0;
  eventRounds = 0;
  /** Of the response, compressed and without headers; undefined for a subscription. */
  bytes: number | undefined = undefined;
  /** Of HTTP, or as HTTP would have it. Set at the end, as the next two are. */
  status = 0;
  outcome: Outcome | undefined = undefined;
  /** From the arrival to the response, in milliseconds. */
  durationMs = 0;

  constructor(
    transport: Transport,
    arrival: Arrival,
    schema: GraphQLSchema,
    request: OperationRequest,
  ) {
    this.transport = transport;
    this.arrival = arrival;
    this.requestId = arrival.requestId;
    this.startedMs = arrival.startedMs;
    this.cancel = arrival.cancel;
    this.schema = schema;
    this.method = request.method;
    this.url = request.url ?? '';
    this.headers = request.headers;
    this.body = request.body;
    this.unreadable = arrival.unreadable;
    this.given = request.given;
    this.document = request.document;
    this.contextValue = this;
  }

  /** A header by its name in lower case. */
  header(name: string): string | undefined {
    const value = this.headers[name];
    // Node has a list for `set-cookie` alone, which no request carries.
    return typeof value === 'string' ? value : undefined;
  }

  /** The key that the caller has sent. */
  get callerKey(): string | undefined {
    return this.header(API_KEY_HEADER);
  }

  get accept(): string | undefined {
    return this.header('accept');
  }

  /** The `x-explain` header. */
  get explain(): string | undefined {
    return this.header('x-explain');
  }

  get traceparent(): string | undefined {
    return this.header('traceparent');
  }

  get tracestate(): string | undefined {
    return this.header('tracestate');
  }

  /** The name that the caller's app sends. */
  get clientName(): string | undefined {
    return this.header(CLIENT_NAME_HEADERS[0]) ?? this.header(CLIENT_NAME_HEADERS[1]);
  }

  get clientVersion(): string | undefined {
    return this.header(CLIENT_VERSION_HEADERS[0]) ?? this.header(CLIENT_VERSION_HEADERS[1]);
  }

  /** The SHA-256 of its trusted document; undefined for every other. */
  get documentHash(): string | undefined {
    return this.document?.hash;
  }

  /** Lets go of the request, which a stream would keep for hours. */
  releaseRequest(): void {
    const kept = OF_STREAMS.flatMap((name) => {
      const value = this.headers[name];
      return value === undefined ? [] : [[name, value]];
    });
    this.headers = Object.fromEntries(kept) as HeaderFields;
    this.body = undefined;
    this.given = undefined;
  }
}

const NO_PARAMS: OperationParams = {
  query: '',
  documentId: undefined,
  operationName: undefined,
  variables: undefined,
  onError: 'PROPAGATE',
};
