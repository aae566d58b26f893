/**
 * Where operations are sent, and with which headers.
 */
import { getOperationAST, parse, type OperationDefinitionNode } from 'graphql';
import { readApiKey } from './api-key.ts';

export interface GraphQLRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | null | undefined;
}

/**
 * A request and the operation in it. GraphiQL reads a document a moment after it was written, and until then
 * names an operation of the one before: where the document has none of that name, the name is left out.
 *
 * @throws GraphQLError for a document that cannot be parsed.
 */
export function readOperation(request: GraphQLRequest): {
  readonly request: GraphQLRequest;
  readonly operation: OperationDefinitionNode | undefined;
} {
  const document = parse(request.query);
  const operation =
    getOperationAST(document, request.operationName) ?? getOperationAST(document) ?? undefined;
  return { request: { ...request, operationName: operation?.name?.value }, operation };
}

/** Asks the gateway; answers the data, in part if need be, or undefined when there is none. */
export type Ask = <Data>(
  query: string,
  variables?: Readonly<Record<string, unknown>>,
) => Promise<Data | undefined>;

/** GraphQL is served where the page is. */
export const ENDPOINT = `${location.origin}${location.pathname}`;

export function requestHeaders(extra: Readonly<Record<string, string>> = {}): Headers {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json;q=0.9',
  });
  const key = readApiKey();
  if (key) headers.set('x-api-key', key);
  for (const [name, value] of Object.entries(extra)) headers.set(name, value);
  return headers;
}

/** Rejects when no answer comes, and when `signal` aborts. */
export const post = (
  request: GraphQLRequest,
  headers: Headers,
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(ENDPOINT, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
    signal: signal ?? null,
  });

export const ask: Ask = async <Data>(query: string, variables = {}) => {
  try {
    const response = await post({ query, variables }, requestHeaders());
    const { data } = (await response.json()) as { readonly data?: Data | null };
    return data ?? undefined;
  } catch {
    return undefined;
  }
};
