/**
 * What the server knows of one request: made when it arrives, completed as it is handled, read by
 * the log and the metrics when it is answered.
 */
import { randomUUID } from 'node:crypto';
import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import { Cancel } from '../../lib/cancel.ts';
import type { RestClient } from '../../rest/client/client.ts';
import type { AppVersion } from './caller.ts';
import type { RecordedTrace } from './trace-context.ts';

/** What an operation was to cost by its plan. */
export interface PlannedCost {
  /** REST calls; the most is infinite where the document does not say it. */
  readonly calls: { readonly least: number; readonly most: number };
  readonly rounds: number;
}

/** What an operation has of its key's share of what is under way. */
export interface HeldPlace {
  /** Another weight from now on. */
  weigh(weight: number): void;
  /** Again does nothing. */
  leave(): void;
}

export interface RequestRecord {
  readonly requestId: string;
  /** By the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  /** Cancelled when the caller leaves before the answer. */
  readonly leaving: Cancel;
  /** The operation of the document that is executed; undefined until the document is parsed. */
  operation?: OperationDefinitionNode;
  operationName?: string | undefined;
  operationType?: 'query' | 'mutation' | 'subscription';
  /** The SHA-256 of a trusted document; undefined for every other. */
  document?: string;
  /** Its trace, where that is recorded; null where it is not, undefined before that is decided. */
  trace?: RecordedTrace | null;
  /** The app that asks, where manifests of trusted documents name it. */
  app?: AppVersion;
  /** The key whose share of the process it takes; empty for all that the backend has not accepted. Never shown. */
  share?: string;
  /** Whether it has had a turn, or waits for one, to find out about its document. */
  hasTurn?: boolean;
  /** What it weighs, and whether it is within its budget whatever the values of its variables are. */
  weighed?: { readonly weight: number; readonly isWithin: boolean };
  /** Held from when it is admitted until its answer has left the process. */
  place?: HeldPlace;
  /** Whether its carrier will say when the answer has left, by `answerHasLeft`. */
  isSending?: boolean;
  /** Set for an operation that is compared with its plan. */
  planned?: PlannedCost | undefined;
  /** REST calls that the limit of the key has counted before they are made. */
  callsTaken?: number;
  /** The key to call the backend with; undefined for what calls nothing. Never shown, never logged. */
  apiKey?: string | undefined;
  /** The backend as this request used it, with its journal. */
  rest?: RestClient | undefined;
  /** Why the body could not be read. */
  unreadable?: GraphQLError;
  /** Errors that were answered, of all parts. */
  errors?: readonly GraphQLError[] | undefined;
  /** Of an answer in parts: resolves when nothing is under way for it any more. */
  partsAnswered?: Promise<void>;
  /** Of the answer, compressed and without headers; undefined over a WebSocket, and where Yoga writes it. */
  bytes?: number;
  /** Whether any root field has a value. */
  hasData?: boolean;
}

export function createRecord(requestId: string | null): RequestRecord {
  return {
    requestId: requestId !== null && SANE_REQUEST_ID.test(requestId) ? requestId : randomUUID(),
    startedAt: performance.now(),
    leaving: new Cancel(),
  };
}

/** The answer has left the process, or nobody will read it. */
export function answerHasLeft(record: RequestRecord): void {
  record.isSending = false;
  record.place?.leave();
}

/** A caller's request id is kept when it fits into a header and a log line. */
const SANE_REQUEST_ID = /^[\w.:=+/-]{1,128}$/;
