/** Operations of an extension's own transport: each has one result. */
import type { ExecutionResult } from 'graphql';
import type { Document } from '../operation/document.ts';
import type { Arrival, HeaderFields } from '../operation/operation.ts';
import { formatResult, statusOf } from '../operation/response.ts';
import type { OperationServer } from '../yoga/operation-server.ts';

export interface OwnRequest {
  /** Trusted: neither looked up nor limited. */
  readonly document: Document;
  readonly variables: unknown;
  readonly transport: string;
  readonly path: string;
  readonly method: string;
  readonly headers: HeaderFields;
}

/** Runs an operation; never rejects. */
export type OwnTransport = (request: OwnRequest, arrival: Arrival) => Promise<ExecutionResult>;

export const createOwnTransport =
  (server: OperationServer): OwnTransport =>
  async ({ document, variables, transport, path, method, headers: given }, arrival) => {
    // `accept` belongs to the transport, not to GraphQL over HTTP.
    const { accept: _accept, ...headers } = given;
    const operation = server.begin(
      { name: transport, path, streams: 'never', onlySubscriptions: false },
      arrival,
      { method, url: path, headers, document, body: { query: document.text, variables } },
    );
    let status = 500;
    try {
      // Subscriptions are rejected before this.
      const executed = (await server.run(operation)) as ExecutionResult;
      const result = server.settle(operation, executed);
      operation.bytes = Buffer.byteLength(JSON.stringify(formatResult(result)));
      status = statusOf(result);
      return result;
    } finally {
      server.end(operation, status);
    }
  };
