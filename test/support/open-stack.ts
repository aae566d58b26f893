/** Being replaced by `openGateway`: the same, asked by `query(document, variables, options)`. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { BackendOptions } from '../../src/backend/backend.ts';
import type { Journal } from '../../src/rest/client/journal.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import type { DocumentLimits } from '../../src/server/documents/document-limits.ts';
import type { Gateway } from '../../src/server/gateway.ts';
import type { RouteSet } from '../../src/v0/routes.ts';
import { openGateway } from './open-gateway.ts';

export interface StackOptions extends Partial<BackendOptions> {
  /** A backend that no other test of the file sees. */
  readonly fresh?: boolean;
  /** Which routes the gateway believes in, by default as without a setting; the backend has them all. */
  readonly routeSet?: RouteSet | 'auto';
  readonly limits?: Partial<DocumentLimits>;
  readonly maxUpstreamCalls?: number;
}

export interface QueryOptions {
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** False executes without the gateway, and without look-ahead. @default true */
  readonly looksAhead?: boolean;
}

export interface Answer<Data, Extensions> {
  readonly data: Data;
  readonly errors: readonly any[] | undefined;
  readonly extensions: Extensions;
  /** Of the HTTP response. */
  readonly status: number;
  readonly headers: Headers;
}

export interface Stack {
  readonly url: string;
  readonly backend: { readonly url: string };
  readonly gateway: Gateway;
  readonly restCalls: readonly string[];
  readonly rest: RestClient;
  readonly journal: Journal;
  query<Data = Record<string, any>, Extensions = unknown>(
    document: string | TypedDocumentNode<Data, any>,
    variables?: Record<string, unknown>,
    options?: QueryOptions,
  ): Promise<Answer<Data, Extensions>>;
}

export async function openStack({
  fresh = false,
  routeSet = 'auto',
  limits = {},
  maxUpstreamCalls = 250,
  ...sample
}: StackOptions = {}): Promise<Stack> {
  const opened = await openGateway({
    ...{ fresh, sample, limits, maxUpstreamCalls },
    rest: { routeSet },
  });
  return {
    url: opened.url,
    backend: { url: opened.backendUrl },
    gateway: opened.gateway,
    rest: opened.rest,
    get restCalls() {
      return [...opened.restCalls];
    },
    get journal() {
      return opened.journal;
    },
    query: async (document, variables, { looksAhead, ...options } = {}) => {
      if (looksAhead === false)
        return opened.askNaively(document as string, { variables }) as never;
      const { status, headers, body } = await opened.ask(document, { variables, ...options });
      return { status, headers, ...body };
    },
  };
}
