/**
 * A gateway on a port before its own embedded backend, drafts to publish, and clients that watch.
 */
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { EmbeddedBackend } from '../../src/backend/backend.ts';
import type { Explained } from '../../src/plan/explain.ts';
import { parseNodeId } from '../../src/graph/types/node-id.ts';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { IDS } from '../support/ids.ts';
import { openSampleBackend } from '../support/sample-database.ts';
import {
  openGateway,
  type InProcessOptions,
  type InProcessGateway,
} from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

export const WATCH =
  'subscription ($id: ID!) { audienceVersionProgress(id: $id) { isFinal audienceVersion { id status } } }';

export interface Progress {
  readonly data?: {
    readonly audienceVersionProgress: {
      readonly isFinal: boolean;
      readonly audienceVersion: { readonly id: string; readonly status: string | null };
    } | null;
  } | null;
  readonly errors?: readonly { readonly extensions?: Record<string, unknown> }[];
  readonly extensions?: { readonly upstream?: Explained };
}

export interface Live {
  readonly site: InProcessGateway;
  readonly backend: EmbeddedBackend;
  /** The requests to the backend so far. */
  readonly calls: string[];
  /** How often versions were read. */
  reads(): number;
  mutate(query: string, variables: object, apiKey?: string): Promise<any>;
  /** The global id of a new draft. */
  draft(): Promise<string>;
  publish(id: string, input?: object): Promise<any>;
  /** Archives the audience of a version, which cancels its publishing. */
  archiveAudienceOf(versionId: string): Promise<any>;
  /** Resolves when there are no watchers and no pollers. */
  quiet(): Promise<void>;
  /** The reads of versions while three polls of another one pass. */
  readsMeanwhile(): Promise<readonly string[]>;
}

export type LiveTestOptions = InProcessOptions & { readonly publishDelayMs?: number };

export const FAST = { pollMs: { least: 20, most: 100 } };

export async function openLive({
  publishDelayMs = 60,
  live = FAST,
  ...options
}: LiveTestOptions = {}): Promise<Live> {
  const calls: string[] = [];
  const backend = await openSampleBackend({
    publishDelayMs,
    onRequest: (line) => calls.push(line),
  });
  onTestFinished(async () => void (await backend.close()));
  const site = await openGateway({ backend: new URL(backend.url), live, ...options });
  const mutate = async (query: string, variables: object, apiKey = EXAMPLE_API_KEY) => {
    const { body } = await site.ask(query, { variables, apiKey });
    return body;
  };
  const draft = async (): Promise<string> => {
    const { data } = await mutate(CREATE, {
      input: { pageId: IDS.page, publishBehavior: 'draft' },
    });
    return data.createAudience.audience.latestVersion.id;
  };
  return {
    site,
    backend,
    calls,
    reads: () => calls.filter(isRead).length,
    mutate,
    draft,
    publish: (id, input = {}) => mutate(PUBLISH, { input: { id, ...input } }),
    archiveAudienceOf: async (id) => {
      const { data } = await mutate(AUDIENCE_OF, { id });
      return mutate(ARCHIVE, { input: { id: data.node.audience.id } });
    },
    quiet: async () => {
      await until(() => site.gateway.pollers.size === 0 && site.gateway.subscriptions.size === 0);
    },
    readsMeanwhile: async () => {
      const id = await draft();
      const before = calls.length;
      const [page, audience, version] = parseNodeId(id).parts;
      const line = `GET /v0/pages/${page}/audiences/${audience}/versions/${version}`;
      const stream = await openEvents(site.url, { id });
      await until(() => calls.filter((one) => one === line).length >= 4);
      stream.leave();
      return calls.slice(before).filter((one) => isRead(one) && one !== line);
    },
  };
}

const isRead = (line: string): boolean => /^GET .*\/versions\/[^/]+$/.test(line);

const CREATE =
  'mutation ($input: CreateAudienceInput!) { createAudience(input: $input) { audience { latestVersion { id status } } userErrors { message } } }';

export const PUBLISH =
  'mutation ($input: PublishAudienceVersionInput!) { publishAudienceVersion(input: $input) { audienceVersion { status } userErrors { code message } } }';

const AUDIENCE_OF =
  'query ($id: ID!) { node(id: $id) { ... on AudienceVersion { audience { id } } } }';

const ARCHIVE =
  'mutation ($input: ArchiveAudienceInput!) { archiveAudience(input: $input) { audience { status } userErrors { message } } }';

export interface EventsOptions {
  readonly method?: 'GET' | 'POST';
  readonly accept?: string;
  readonly apiKey?: string | null;
  readonly query?: string;
  /** Whether to request the calls of each event. */
  readonly explain?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Events {
  readonly response: Response;
  readonly events: Progress[];
  /** Resolves when the stream has ended, however it did. */
  readonly ended: Promise<void>;
  isComplete(): boolean;
  leave(): void;
}

/** Opens a stream of server-sent events and reads it as it arrives. */
export async function openEvents(
  url: string,
  variables: object,
  {
    method = 'POST',
    accept = 'text/event-stream',
    apiKey = EXAMPLE_API_KEY,
    query = WATCH,
    explain = false,
    headers = {},
  }: EventsOptions = {},
): Promise<Events> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  const response = await fetch(`${url}/graphql${method === 'GET' ? `?${search}` : ''}`, {
    method,
    headers: {
      accept,
      ...(apiKey !== null && { 'x-api-key': apiKey }),
      ...(explain && { 'x-explain': 'true' }),
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: method === 'POST' ? JSON.stringify({ query, variables }) : null,
    signal: leaving.signal,
  });
  const events: Progress[] = [];
  let isComplete = false;
  const isStream =
    response.ok && (response.headers.get('content-type') ?? '').includes('event-stream');
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    // Node's streams are iterable; the types are the browser's.
    const chunks = response.body as unknown as AsyncIterable<Uint8Array>;
    for await (const chunk of chunks) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) {
        if (frame.startsWith('event: complete')) isComplete = true;
        if (frame.startsWith('event: next'))
          events.push(JSON.parse(frame.slice(frame.indexOf('{'))));
      }
    }
  };
  return {
    response,
    events,
    // The test itself reads a body that is no stream.
    ended: isStream ? read().catch(() => {}) : Promise.resolve(),
    isComplete: () => isComplete,
    leave: () => leaving.abort(),
  };
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

/**
 * Expects the states from draft to published, in order. On a busy machine a state that lasts for milliseconds
 * may end before it is polled.
 */
export function expectPublished(events: readonly Progress[]): void {
  const seen = statusesOf(events);
  const steps = ['draft', 'queued', 'processing', 'published'];
  expect(seen).toEqual(steps.filter((step) => seen.includes(step)));
  expect(seen).toEqual(expect.arrayContaining(['draft', 'queued', 'published']));
}

/** Statuses in the order of events, without repetitions: `unknown` for a broken one, `none` for no version. */
export const statusesOf = (events: readonly Progress[]): string[] =>
  events
    .map(({ data }) => {
      const progress = data?.audienceVersionProgress;
      return progress ? (progress.audienceVersion.status ?? 'unknown') : 'none';
    })
    .filter((status, i, all) => status !== all[i - 1]);

interface Message {
  readonly id?: string;
  readonly type: string;
  readonly payload?: any;
}

export interface Socket {
  readonly socket: WebSocket;
  /** The code that the socket is closed with. */
  readonly closed: Promise<number>;
  send(message: object): void;
  subscribe(id: string, variables: object, query?: string): void;
  received(type: string): readonly Message[];
}

interface SocketOptions {
  /** The payload of `connection_init`. */
  readonly payload: object | undefined;
  /** The headers of the upgrade. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A socket without a client library, after `connection_init`. */
export async function openSocket(
  url: string,
  { payload, headers = {} }: SocketOptions = { payload: { 'x-api-key': EXAMPLE_API_KEY } },
): Promise<Socket> {
  const address = `${url.replace('http', 'ws')}/graphql`;
  const socket = new WebSocket(address, 'graphql-transport-ws', { headers });
  onTestFinished(() => socket.terminate());
  const messages: Message[] = [];
  socket.on('error', () => {});
  socket.on('message', (data) => messages.push(JSON.parse((data as Buffer).toString()) as Message));
  let isClosed = false;
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => {
      isClosed = true;
      resolve(code);
    });
  });
  await new Promise((resolve) => socket.on('open', resolve));
  const send = (message: object) => socket.send(JSON.stringify(message));
  send({ type: 'connection_init', ...(payload && { payload }) });
  await until(() => messages.length > 0 || isClosed);
  return {
    socket,
    closed,
    send,
    subscribe: (id, variables, query = WATCH) =>
      send({ id, type: 'subscribe', payload: { query, variables } }),
    received: (type) => messages.filter((message) => message.type === type),
  };
}
