/**
 * Load: connections that ask without pause, by wrk, or by a loop in this process.
 *
 * wrk reports faithfully how long responses took; the loop is for quick runs and for machines without
 * wrk, where the figures do not matter: it reads every response instead.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { z } from 'zod';
import { start } from './machine.ts';
import { NEW_NAME, type GraphQLRequest } from './queries.ts';

export const CONNECTIONS = 32;
const LOOP_CONNECTIONS = 8;

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Bytes read, heads included; 0 where they are not counted. */
  readonly bytes: number;
  /** Requests that were cut off at the end, unanswered. */
  readonly cut: number;
  /** Responses that were no 2xx, or none; the loop counts those with errors too. */
  readonly failures: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** @param url of the server, without a path. */
export type Load = (
  url: string,
  requests: readonly GraphQLRequest[],
  seconds: number,
) => Promise<LoadResult>;

const SCRIPT = fileURLToPath(new URL('wrk.lua', import.meta.url));

const Result = z.object({
  requests: z.number(),
  micros: z.number(),
  bytes: z.number(),
  failures: z.number(),
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
  p999: z.number(),
});

/** @param file where the requests are written for wrk to read. */
export const wrkLoad =
  (file: string): Load =>
  async (url, requests, seconds) => {
    writeFileSync(file, requests.map(({ apiKey, body }) => `${apiKey}\t${body}\n`).join(''));
    // Whole seconds are all wrk takes.
    const duration = `-d${Math.max(1, Math.round(seconds))}s`;
    const options = ['-t1', `-c${CONNECTIONS}`, duration, '--timeout=10s', '-s', SCRIPT];
    const wrk = start(1, ['wrk', ...options, url, '--', file, NEW_NAME]);
    await wrk.ended;
    const [, line] = /^RESULT (.*)$/m.exec(wrk.output()) ?? [];
    if (!line) throw new Error(`wrk failed: ${wrk.output()}`);
    const { micros, p50, p90, p99, p999, ...counts } = Result.parse(JSON.parse(line));
    return {
      ...counts,
      cut: CONNECTIONS,
      seconds: micros / 1e6,
      p50Ms: p50 / 1e3,
      p90Ms: p90 / 1e3,
      p99Ms: p99 / 1e3,
      p999Ms: p999 / 1e3,
    };
  };

export const loopLoad: Load = async (url, requests, seconds) => {
  const pool = new Pool(url, { connections: LOOP_CONNECTIONS });
  const began = performance.now();
  const times: number[] = [];
  let turn = 0;
  let failures = 0;
  const ask = async (): Promise<void> => {
    while (performance.now() - began < seconds * 1e3) {
      const { apiKey, body } = requests[turn++ % requests.length]!;
      const sent = performance.now();
      const answer = await pool.request({
        method: 'POST',
        path: '/graphql',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'x-api-key': apiKey,
        },
        body: body.replace(NEW_NAME, `New${String(Date.now())}_${turn}`),
      });
      const text = await answer.body.text();
      times.push(performance.now() - sent);
      if (answer.statusCode !== 200 || text.includes('"errors"')) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: LOOP_CONNECTIONS }, ask));
  const elapsed = (performance.now() - began) / 1e3;
  await pool.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? NaN;
  return {
    requests: times.length,
    seconds: elapsed,
    bytes: 0,
    cut: 0,
    failures,
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
  };
};
