/**
 * Where operations are sent, and with which headers.
 */
import { readApiKey } from './api-key.ts';

export interface GraphQLRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | null | undefined;
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

export const ask: Ask = async <Data>(query: string, variables = {}) => {
  try {
    const body = JSON.stringify({ query, variables });
    const response = await fetch(ENDPOINT, { method: 'POST', headers: requestHeaders(), body });
    const { data } = (await response.json()) as { readonly data?: Data | null };
    return data ?? undefined;
  } catch {
    return undefined;
  }
};
