/** Where operations are sent, and with which headers. */
import { getOperationAST, parse, type ExecutionResult } from 'graphql';
import { noteKey, readApiKey } from './api-key.ts';

export interface GraphQLRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | null | undefined;
}

/**
 * Returns a request and its operation. GraphiQL's operation name lags behind the document; a name that the document
 * lacks is dropped.
 *
 * @throws GraphQLError for a document that cannot be parsed.
 */
export function readOperation(request: GraphQLRequest) {
  const document = parse(request.query);
  const operation =
    getOperationAST(document, request.operationName) ?? getOperationAST(document) ?? undefined;
  return { request: { ...request, operationName: operation?.name?.value }, operation };
}

export const EVENT_STREAM = 'text/event-stream';
const IN_PARTS = 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9';

/** The media type for an operation; undefined for the default. */
export const acceptOf = (query: string, isSubscription: boolean): string | undefined => {
  if (isSubscription) return EVENT_STREAM;
  return /@(?:defer|stream)\b/.test(query) ? IN_PARTS : undefined;
};

/** Sends a query; resolves to its data, which may be partial, or to undefined. */
export type Ask = <Data>(
  query: string,
  variables?: Readonly<Record<string, unknown>>,
) => Promise<Data | undefined>;

/** GraphQL is served where the page is. */
export const ENDPOINT = `${location.origin}${location.pathname}`;

export interface SentHeaders {
  readonly all: Headers;
  /** Headers that the page sends by itself, without the key. */
  readonly ofPage: readonly (readonly [name: string, value: string])[];
  readonly ownJson: string;
}

/**
 * @param extra headers that replace those of the page.
 * @param own the user's headers, which replace all others.
 * @throws TypeError for an invalid name or value of a header.
 */
export function requestHeaders(
  extra: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, unknown>> = {},
): SentHeaders {
  const ownHeaders = new Headers();
  for (const [name, value] of Object.entries(own)) ownHeaders.set(name, String(value));
  const ofPage = Object.entries({
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json;q=0.9',
    ...extra,
  }).filter(([name]) => !ownHeaders.has(name));
  const all = new Headers([...ofPage, ...ownHeaders]);
  const key = readApiKey();
  if (key && !all.has('x-api-key')) all.set('x-api-key', key);
  return { all, ofPage, ownJson: JSON.stringify(own) };
}

/** Rejects when there is no response, and when `signal` aborts. */
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
    const headers = requestHeaders().all;
    const response = await post({ query, variables }, headers);
    const result = (await response.json()) as ExecutionResult<Data>;
    noteKey(headers.get('x-api-key'), result);
    return result.data ?? undefined;
  } catch {
    return undefined;
  }
};
