/**
 * Client errors found by the gateway itself: a code, an HTTP status, and a message that says how to fix the request.
 */
import { GraphQLError } from 'graphql';

/** `extensions.code` of errors found by the gateway. */
type ClientErrorCode =
  | 'BAD_REQUEST'
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'CSRF_HEADER_MISSING'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_ACCEPTABLE'
  | 'BODY_TOO_LARGE'
  | 'HEADERS_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'HOST_NOT_ALLOWED'
  | 'EXPLAIN_NOT_ALLOWED'
  | 'QUERY_TOO_LARGE'
  | 'OPERATION_RESOLUTION_FAILURE'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'TOO_MANY_SUBSCRIPTIONS'
  | 'RATE_LIMITED'
  | 'ORIGIN_NOT_ALLOWED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'TRUSTED_DOCUMENT_REQUIRED'
  | 'INTERNAL_SERVER_ERROR';

/** `extensions.http` of an error: status and headers of its response; removed before it is sent. */
export interface HttpExtension {
  readonly status: number;
  /**
   * Whether the status is 200 for callers that accept only `application/json`. Source: GraphQL over HTTP,
   * "application/json".
   */
  readonly spec?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @param status the HTTP status for every media type. */
export const clientError = (
  status: number,
  code: ClientErrorCode,
  message: string,
  headers?: Readonly<Record<string, string>>,
): GraphQLError => errorWith(code, message, { status, ...(headers && { headers }) });

export const documentError = (code: ClientErrorCode, message: string): GraphQLError =>
  errorWith(code, message, { status: 400, spec: true });

/** The client error of a document for which graphql-js throws an internal error. */
export const notUnderstood = (error: unknown): GraphQLError =>
  documentError(
    'BAD_REQUEST',
    `This document could not be executed (${error instanceof Error ? error.name : typeof error}). Simplify its selections or directives.`,
  );

const errorWith = (code: ClientErrorCode, message: string, http: HttpExtension): GraphQLError =>
  new GraphQLError(message, { extensions: { code, http } });

export const notFound = (endpoints: readonly string[]): Response =>
  errorResponse(404, 'NOT_FOUND', `Not found. Endpoints: ${endpoints.join(', ')}.`);

/** A JSON response with one error, for requests outside of GraphQL. */
export function errorResponse(
  status: number,
  code: ClientErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(
    { errors: [{ message, extensions: { code } }] },
    { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers } },
  );
}
