/**
 * The whole stack for a test: the embedded backend on a free port, the REST client, the graph.
 *
 * Opening a backend costs most of a test's time, so stacks with the same backend options share one
 * backend a file. A test that writes asks for a backend of its own with `fresh`.
 */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { execute, parse, print, type DocumentNode, type GraphQLFormattedError } from 'graphql';
import type { Backend, BackendOptions } from '../../src/backend/backend.ts';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { createContext } from '../../src/graph/context.ts';
import { toClientError } from '../../src/graph/errors.ts';
import {
  createUpstream,
  type RequestScope,
  type RestClient,
  type Upstream,
} from '../../src/rest/client/client.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import type { Journal } from '../../src/rest/client/journal.ts';
import { schema } from '../../src/schema.ts';
import type { DocumentLimits } from '../../src/server/documents/document-limits.ts';
import { createGateway, type Gateway } from '../../src/server/gateway.ts';
import type { RouteSet } from '../../src/v0/routes.ts';
import { afterFile } from './after-file.ts';
import { openSampleBackend } from './sample-database.ts';

export interface StackOptions extends Partial<BackendOptions> {
  /** A backend that no other test of the file sees. */
  readonly fresh?: boolean;
  /** Which routes the gateway believes in; the backend has them all by default. */
  readonly routeSet?: RouteSet;
  readonly limits?: Partial<DocumentLimits>;
  readonly maxUpstreamCalls?: number;
}

export interface QueryOptions {
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** False executes without the gateway, and without look-ahead. @default true */
  readonly looksAhead?: boolean;
}

/** An error as it is answered: every one has a code. */
export interface AnswerError extends GraphQLFormattedError {
  readonly extensions: Record<string, unknown>;
}

export interface Answer<Data, Extensions> {
  readonly data: Data;
  readonly errors: readonly AnswerError[] | undefined;
  readonly extensions: Extensions;
  /** Of the HTTP response. */
  readonly status: number;
  readonly headers: Headers;
}

export interface Stack {
  readonly backend: Backend;
  readonly gateway: Gateway;
  /** What the backend was asked since the last query began: `GET /v0/pages/p1`. */
  readonly restCalls: readonly string[];
  /** The gateway's way to the backend, for what is not a query. */
  readonly rest: RestClient;
  /** The journal of the last query. */
  readonly journal: Journal;
  query<Data = Record<string, any>, Extensions = unknown>(
    document: string | TypedDocumentNode<Data, any>,
    variables?: Record<string, unknown>,
    options?: QueryOptions,
  ): Promise<Answer<Data, Extensions>>;
}

interface Site {
  readonly backend: Promise<Backend>;
  /** Who hears what the backend is asked. */
  listener: (line: string) => void;
}

const sites = new Map<string, Site>();

export async function openStack({
  fresh = false,
  routeSet = 'extended',
  limits = {},
  maxUpstreamCalls = 250,
  ...options
}: StackOptions = {}): Promise<Stack> {
  const site = fresh ? openSite(options) : sharedSite(options);
  const backend = await site.backend;
  const dispatcher = new BackendDispatcher(backend.url);
  afterFile(() => dispatcher.close());
  const real = createUpstream({
    dispatcher,
    pathPrefix: '',
    routeSet,
    timeoutMs: 3_000,
    maxResponseBytes: 5_000_000,
  });
  let restCalls: readonly string[] = [];
  let journal: Journal | undefined;
  // The gateway makes a client a request; the last one's journal is kept for the test.
  const upstream: Upstream = Object.assign((scope: RequestScope) => {
    const rest = real(scope);
    journal = rest.journal;
    return rest;
  }, real);
  const gateway = createGateway({ schema, upstream, limits, maxUpstreamCalls });

  return {
    backend,
    gateway,
    rest: real({ apiKey: EXAMPLE_API_KEY, requestId: 'stack' }),
    get restCalls() {
      return restCalls;
    },
    get journal() {
      if (!journal) throw new Error('No query yet: the journal belongs to the last one.');
      return journal;
    },
    query: async (document, variables, { apiKey = EXAMPLE_API_KEY, headers, looksAhead } = {}) => {
      const heard: string[] = [];
      restCalls = heard;
      site.listener = (line) => heard.push(line);
      if (looksAhead === false) return executeNaively(document, variables, upstream);
      const response = await gateway.fetch(
        new Request('http://stack/graphql', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/graphql-response+json',
            'x-api-key': apiKey,
            ...headers,
          },
          body: JSON.stringify({
            query: typeof document === 'string' ? document : print(document),
            variables,
          }),
        }),
      );
      const body = (await response.json()) as object;
      return { status: response.status, headers: response.headers, ...body } as never;
    },
  };

  async function executeNaively(
    document: string | DocumentNode,
    variableValues: Record<string, unknown> | undefined,
    upstreamOf: Upstream,
  ) {
    const rest = upstreamOf({ apiKey: EXAMPLE_API_KEY, requestId: 'naive' });
    const { data, errors } = await execute({
      schema,
      document: typeof document === 'string' ? parse(document) : document,
      variableValues,
      contextValue: createContext(rest, { apiKey: EXAMPLE_API_KEY, looksAhead: false }),
    });
    const shown = errors?.map((error) => (toClientError(error) ?? error).toJSON());
    return JSON.parse(JSON.stringify({ data, errors: shown })) as never;
  }
}

function sharedSite(options: Partial<BackendOptions>): Site {
  const id = JSON.stringify(options);
  const known = sites.get(id);
  if (known) return known;
  const site = openSite(options);
  sites.set(id, site);
  afterFile(() => sites.delete(id));
  return site;
}

function openSite(options: Partial<BackendOptions>): Site {
  const site: Site = {
    backend: openSampleBackend({
      publishDelayMs: 20,
      ...options,
      onRequest: (line) => {
        site.listener(line);
      },
    }),
    listener: () => {},
  };
  afterFile(async () => (await site.backend).close());
  return site;
}
