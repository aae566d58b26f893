/**
 * A gateway on a port before an embedded backend of its own, drafts to publish, and clients that watch.
 */
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { openBackend, type Backend } from '../../src/backend/backend.ts';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { IDS } from '../support/ids.ts';
import { openSite, send, POST_JSON, type Site } from '../server/support.ts';

export const WATCH =
  'subscription ($id: ID!) { audienceVersionProgress(id: $id) { isFinal audienceVersion { id status } } }';

export interface Progress {
  readonly data?: {
    readonly audienceVersionProgress: {
      readonly isFinal: boolean;
      readonly audienceVersion: { readonly id: string; readonly status: string };
    } | null;
  } | null;
  readonly errors?: readonly { readonly extensions?: Record<string, unknown> }[];
}

export interface Live {
  readonly site: Site;
  readonly backend: Backend;
  /** What the backend was asked so far. */
  readonly calls: string[];
  /** How often versions were read. */
  reads(): number;
  mutate(query: string, variables: object, apiKey?: string): Promise<any>;
  /** The global id of a new draft. */
  draft(): Promise<string>;
  publish(id: string, input?: object): Promise<any>;
  /** Resolves when nobody watches and nothing polls. */
  quiet(): Promise<void>;
}

export type LiveTestOptions = Parameters<typeof openSite>[0] & { readonly publishDelayMs?: number };

export const FAST = { pollMs: { least: 20, most: 100 } };

export async function openLive({
  publishDelayMs = 60,
  live = FAST,
  ...options
}: LiveTestOptions = {}): Promise<Live> {
  const calls: string[] = [];
  const backend = await openBackend({
    databaseUrl: ':memory:',
    publishDelayMs,
    onRequest: (line) => calls.push(line),
  });
  onTestFinished(() => backend.close());
  const site = await openSite({ upstreamUrl: backend.url, live, ...options });
  const mutate = async (query: string, variables: object, apiKey = EXAMPLE_API_KEY) => {
    const { body } = await send(`${site.url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, ...POST_JSON },
      body: JSON.stringify({ query, variables }),
    });
    return body;
  };
  return {
    site,
    backend,
    calls,
    reads: () => calls.filter((line) => /^GET .*\/versions\/[^/]+$/.test(line)).length,
    mutate,
    draft: async () => {
      const { data } = await mutate(CREATE, {
        input: { pageId: IDS.page, publishBehavior: 'draft' },
      });
      return data.createAudience.audience.latestVersion.id;
    },
    publish: (id, input = {}) => mutate(PUBLISH, { input: { id, ...input } }),
    quiet: () =>
      until(() => site.gateway.pollers.size === 0 && site.gateway.subscriptions.size === 0),
  };
}

const CREATE =
  'mutation ($input: CreateAudienceInput!) { createAudience(input: $input) { audience { latestVersion { id status } } userErrors { message } } }';

export const PUBLISH =
  'mutation ($input: PublishAudienceVersionInput!) { publishAudienceVersion(input: $input) { audienceVersion { status } userErrors { code message } } }';

/** Resolves when it holds; the test's own time bounds the wait. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export const sseClient = (url: string, apiKey = EXAMPLE_API_KEY) =>
  createSseClient({ url: `${url}/graphql`, headers: { 'x-api-key': apiKey }, retryAttempts: 0 });

export function wsClient(url: string, apiKey: string | null = EXAMPLE_API_KEY) {
  const client = createWsClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: apiKey === null ? {} : { 'x-api-key': apiKey },
    retryAttempts: 0,
  });
  onTestFinished(() => client.dispose());
  return client;
}

/** Statuses in the order of events, without repetitions. */
export const statusesOf = (events: readonly Progress[]): string[] =>
  events
    .map((event) => event.data?.audienceVersionProgress?.audienceVersion.status ?? 'none')
    .filter((status, i, all) => status !== all[i - 1]);
