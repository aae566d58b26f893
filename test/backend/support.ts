/** A running backend for one test, and a caller for it: real sockets, real database. */
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { EmbeddedBackend, BackendOptions } from '../../src/backend/backend.ts';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { openFolder } from '../support/folder.ts';
import { openSampleBackend } from '../support/sample-database.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests read bodies field by field; the contract test holds them to their schemas.

  readonly body: any;
}

export interface CallOptions {
  readonly method?: string;
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export type Caller = (path: string, options?: CallOptions) => Promise<Answer>;

/** Opens a backend that closes with the test; publishing takes next to no time. */
export async function openTestBackend(options: Partial<BackendOptions> = {}) {
  const backend = await openSampleBackend({ publishDelayMs: 5, ...options });
  onTestFinished(async () => void (await backend.close()));
  return { ...backend, call: callerOf(backend.url) };
}

/** One backend for all tests of a file that change nothing, because seeding is most of a small test. */
export function shareTestBackend(options: Partial<BackendOptions> = {}): {
  readonly call: Caller;
  readonly url: string;
} {
  let backend: EmbeddedBackend | undefined;
  beforeAll(async () => {
    backend = await openSampleBackend(options);
  });
  afterAll(() => backend?.close());
  const url = () => backend?.url ?? '';
  return {
    call: (path, options) => callerOf(url())(path, options),
    get url() {
      return url();
    },
  };
}

export function callerOf(url: string): Caller {
  return async (path, { method = 'GET', key = EXAMPLE_API_KEY, body, headers } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key !== null && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
}

/** The URL of a database file in a folder that is removed with the test. */
export const temporaryDatabase = (): string => `file:${join(openFolder(), 'data', 'backend.db')}`;

/** Walks a list to its end; `between` runs after each page. */
export async function walk(
  call: Caller,
  path: string,
  limit: number,
  between: (page: number) => Promise<void> = () => Promise.resolve(),
) {
  const items: Record<string, unknown>[] = [];
  const totals: number[] = [];
  let cursor = '';
  for (let page = 0; ; page++) {
    const { status, body } = await call(
      `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`,
    );
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    items.push(...body.items);
    totals.push(body.totalCount);
    if (!body.hasMore) return { items, totals, lastCursor: body.nextCursor as string | null };
    cursor = body.nextCursor;
    await between(page);
  }
}

/** Repeats a GET until its body is as wanted. */
export async function until(
  call: Caller,
  path: string,
  wanted: (body: Answer['body']) => boolean,
): Promise<Answer['body']> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { body } = await call(path);
    if (wanted(body)) return body;
    if (Date.now() > deadline) throw new Error(`Waited too long: ${path}: ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
