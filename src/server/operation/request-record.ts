/**
 * What the server knows of one request: made when it arrives, completed by the plugins it passes,
 * read by the log and the metrics when it is answered.
 */
import { randomUUID } from 'node:crypto';
import {
  getOperationAST,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
} from 'graphql';
import { Cancel } from '../../lib/cancel.ts';
import type { RestClient } from '../../rest/client/client.ts';

export interface RequestRecord {
  readonly requestId: string;
  /** By the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  /** Cancelled when the caller leaves before the answer. */
  readonly leaving: Cancel;
  operationName?: string | undefined;
  operationType?: 'query' | 'mutation' | 'subscription';
  /** The backend as this request used it, with its journal. */
  rest?: RestClient;
  /** Why the body could not be read. */
  unreadable?: GraphQLError;
  /** What the fast path executed and leaves to Yoga to serve. */
  executed?: ExecutionResult;
  /** Distinct `extensions.code`s of the answer. */
  errorCodes: readonly string[];
  /** Whether the answer has `data`. */
  hasData: boolean;
  /** What masked errors hide. */
  readonly causes: unknown[];
}

/** What Yoga hands from plugin to plugin. */
export interface ServerContext {
  readonly record: RequestRecord;
}

export function createRecord(requestId: string | null): RequestRecord {
  return {
    requestId: requestId !== null && SANE_REQUEST_ID.test(requestId) ? requestId : randomUUID(),
    startedAt: performance.now(),
    leaving: new Cancel(),
    errorCodes: [],
    hasData: false,
    causes: [],
  };
}

/** What is asked for in a document; nothing when that is not clear. */
export function noteOperation(
  record: RequestRecord,
  document: DocumentNode,
  operationName: string | null | undefined,
): void {
  const operation = getOperationAST(document, operationName);
  if (!operation) return;
  record.operationName = operation.name?.value;
  record.operationType = operation.operation;
}

/** A caller's own name for its request is kept when it can go into a header and a log line. */
const SANE_REQUEST_ID = /^[\w.:=+/-]{1,128}$/;
