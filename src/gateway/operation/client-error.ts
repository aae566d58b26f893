/**
 * Errors of callers that the gateway itself finds: a code, an HTTP status, and what to do instead.
 */
import { GraphQLError } from 'graphql';

/** The `extensions.code` of errors that the gateway finds. */
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

/** `extensions.http` of an error: status and headers of its response. Callers never see it. */
export interface HttpExtension {
  readonly status: number;
  /** True where callers who know only `application/json` get 200. Source: GraphQL over HTTP, "application/json". */
  readonly spec?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @param status the HTTP status, whatever the caller accepts. */
export const clientError = (
  status: number,
  code: ClientErrorCode,
  message: string,
  headers?: Readonly<Record<string, string>>,
): GraphQLError => errorWith(code, message, { status, ...(headers && { headers }) });

/** An error of the GraphQL document itself. */
export const documentError = (code: ClientErrorCode, message: string): GraphQLError =>
  errorWith(code, message, { status: 400, spec: true });

/** The client error of a document at which graphql-js fails with an error that is none of GraphQL. */
export const notUnderstood = (error: unknown): GraphQLError =>
  documentError(
    'BAD_REQUEST',
    `This document cannot be carried out (${error instanceof Error ? error.name : typeof error}): write its selection and directives in another way.`,
  );

const errorWith = (code: ClientErrorCode, message: string, http: HttpExtension): GraphQLError =>
  new GraphQLError(message, { extensions: { code, http } });

/** The same for what never reaches GraphQL: a response in JSON with one error. */
export function errorResponse(status: number, code: ClientErrorCode, message: string): Response {
  return Response.json(
    { errors: [{ message, extensions: { code } }] },
    { status, headers: { 'content-type': 'application/json; charset=utf-8' } },
  );
}
