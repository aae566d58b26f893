/**
 * Many callers at once, over their own connections that can be closed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { afterFile } from '../support/after-file.ts';
import {
  KEY,
  POST_JSON,
  type AskOptions,
  type GatewayProcess,
} from '../support/gateway-process.ts';

export interface Heard {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: any;
  readonly tookMs: number;
}

export interface Callers {
  /** Sends one query; rejects when the connection breaks or `signal` aborts. */
  ask(source: string, options?: AskOptions): Promise<Heard>;
  /** Runs `count` callers, each in a loop, for a number of milliseconds or until a promise resolves. */
  loop(
    count: number,
    until: number | Promise<unknown>,
    turn: (caller: number) => Promise<void>,
  ): Promise<void>;
  /** Is called at the end of the test file at the latest. */
  close(): Promise<void>;
}

export function openCallers({ url }: GatewayProcess): Callers {
  const agent = new Agent({ headersTimeout: 30_000 });
  afterFile(() => agent.destroy());
  return {
    ask: async (source, { variables, apiKey = KEY, signal } = {}) => {
      const startMs = performance.now();
      const response = await agent.request({
        origin: url,
        path: '/graphql',
        method: 'POST',
        headers: { ...POST_JSON, 'x-api-key': apiKey },
        body: JSON.stringify({ query: source, variables }),
        ...(signal && { signal }),
      });
      const body = await response.body.json();
      return {
        status: response.statusCode,
        retryAfter: response.headers['retry-after'] as string | undefined,
        body,
        tookMs: performance.now() - startMs,
      };
    },
    loop: async (count, until, turn) => {
      let over = false;
      const end = typeof until === 'number' ? sleep(until) : until;
      const ended = end.finally(() => {
        over = true;
      });
      await Promise.all([
        ended,
        ...Array.from({ length: count }, async (_, caller) => {
          while (!over) {
            await turn(caller);
            await sleep(1);
          }
        }),
      ]);
    },
    close: () => agent.destroy(),
  };
}
