/** The client of tests: any request over a real socket, and GraphQL as frontends ask it. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print, type DocumentNode } from 'graphql';

export interface Reply<Data = any> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is not JSON. */
  readonly body: any;
  readonly data: Data;
  /** Of the body; empty without any. */
  readonly errors: readonly any[];
  readonly extensions: any;
  /** `extensions.code` of each error. */
  readonly codes: readonly string[];
  /** From sending to the last byte, in milliseconds. */
  readonly tookMs: number;
}

export interface AskOptions {
  readonly variables?: unknown;
  readonly operationName?: string | undefined;
  /** @default the key that the gateway's backend knows */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Client {
  /** POSTs a body as it is, or an object as JSON; without a key, if the headers have none. */
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /**
   * POSTs a GraphQL document as JSON. Reading the `data` of an invalid document throws its errors, which a test would
   * otherwise take for missing data.
   */
  ask<Data = any>(
    document: string | TypedDocumentNode<Data, any>,
    options?: AskOptions,
  ): Promise<Reply<Data>>;
  /** GETs a path: `/ready`. */
  get(path: string): Promise<Reply>;
  /** The sum of a metric's series whose line holds all of `labels`. */
  metric(name: string, ...labels: string[]): Promise<number>;
}

/** Keys of two tenants, for backends that accept every key. */
export const KEY = 'key-of-tenant-a-0123456789';
export const OTHER_KEY = 'key-of-tenant-b-9876543210';

export const POST_JSON = {
  'content-type': 'application/json',
  accept: 'application/graphql-response+json',
};

const INVALID = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED']);

/** @param url `http://127.0.0.1:1234`, without a path. */
export const clientOf = (url: string, key: string): Client => ({
  post: (body, headers) => post(url, body, headers),
  ask: async (document, { variables, operationName, apiKey = key, headers, signal } = {}) => {
    const query = textOf(document);
    const sent = { 'x-api-key': apiKey, ...headers };
    const reply = await post(url, { query, variables, operationName }, sent, signal);
    if (!reply.codes.some((code) => INVALID.has(code))) return reply;
    const get = (): never => {
      const messages = reply.errors.map(({ message }) => message);
      throw new Error(`The document is invalid: ${messages.join(' ')}`);
    };
    return Object.defineProperty(reply, 'data', { get, enumerable: false });
  },
  get: (path) => send(`${url}${path}`),
  metric: async (name, ...labels) => {
    const { text } = await send(`${url}/metrics`);
    return text
      .split('\n')
      .filter((line) => new RegExp(`^${name}[{ ]`).test(line))
      .filter((line) => labels.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  },
});

function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<Reply> {
  const isWritten =
    typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  return send(`${url}/graphql`, {
    method: 'POST',
    headers: { ...POST_JSON, ...headers },
    body: isWritten ? (body as BodyInit) : JSON.stringify(body),
    ...{ duplex: 'half' }, // required for a stream, and missing in the type
    signal,
  });
}

const textOf = (document: string | DocumentNode): string =>
  typeof document === 'string' ? document : print(document);

/** Sends any request and reads the whole reply. */
export async function send(url: string, init: RequestInit = {}): Promise<Reply> {
  const startMs = performance.now();
  return replyOf(await fetch(url, init), startMs);
}

/** Reads a response to its end. */
export async function replyOf(
  response: Response,
  startMs: number = performance.now(),
): Promise<Reply> {
  const text = await response.text();
  const body = parse(text);
  const errors: readonly any[] = body?.errors ?? [];
  return {
    status: response.status,
    headers: response.headers,
    text,
    body,
    data: body?.data,
    errors,
    extensions: body?.extensions,
    codes: errors.map((error) => error.extensions?.code),
    tookMs: performance.now() - startMs,
  };
}

function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
