/**
 * Refusals that are the server's own: a code, an HTTP status, and what to do instead.
 */
import { GraphQLError } from 'graphql';

/** What `extensions.code` says where it was not the graph that refused. */
export type RefusalCode =
  | 'BAD_REQUEST'
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'CSRF_HEADER_MISSING'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_ACCEPTABLE'
  | 'BODY_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'QUERY_TOO_LARGE'
  | 'INTERNAL_SERVER_ERROR';

/**
 * @param status the HTTP status, whatever the caller accepts.
 */
export function refusal(status: number, code: RefusalCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status } } });
}

/**
 * A refusal of the GraphQL document itself: 400, or 200 for callers who accept only the older
 * `application/json`. Source: GraphQL over HTTP, "application/json".
 */
export function documentRefusal(code: RefusalCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: 400, spec: true } } });
}

/** The same for what never reaches GraphQL: a JSON answer with one error. */
export function refusalResponse(status: number, code: RefusalCode, message: string): Response {
  return Response.json(
    { errors: [{ message, extensions: { code } }] },
    { status, headers: { 'content-type': 'application/json; charset=utf-8' } },
  );
}
