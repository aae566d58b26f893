/**
 * One request at a time against an upstream of 20 ms: how long it takes, and why.
 *
 * The upstream counts the calls, and the rounds of calls that waited for each other.
 */
import { request } from 'undici';
import { ask } from './ask.ts';
import type { Server } from './contestants.ts';
import { median } from './median.ts';
import { requestsOf, type BenchQuery } from './queries.ts';
import { roundsOf, type SlowUpstream } from './upstream.ts';

export const LATENCY_MS = 20;

/** Calls after which a process is warm, however few requests they came from. */
const WARMING_CALLS = 12_000;

/** Requests under way at once before the first that counts, at most. */
const WARMING_CALLERS = 16;

export interface Wall {
  readonly wallMs: number;
  readonly calls: number;
  readonly rounds: number;
}

export interface Patience {
  /** Requests before the first that counts: a cold process is not what is measured. */
  readonly warmUps: number;
  readonly samples: number;
}

export async function measureWall(
  { url }: Pick<Server, 'url'>,
  query: BenchQuery,
  upstream: SlowUpstream,
  { warmUps, samples }: Patience,
): Promise<Wall> {
  const requests = requestsOf(query, requestsOf(query, 1).length);
  const at = (turn: number) => requests[turn % requests.length]!;
  const enough = Math.min(warmUps, WARMING_CALLS / (query.calls + 1));
  const callers = Math.min(WARMING_CALLERS, warmUps);
  for (let turn = 0; turn < enough; turn += callers) {
    await Promise.all(Array.from({ length: callers }, (_, i) => ask(url, at(turn + i))));
  }
  const walls: number[] = [];
  const calls: number[] = [];
  const rounds: number[] = [];
  for (let turn = 0; turn < samples; turn++) {
    upstream.forget();
    walls.push((await ask(url, at(turn))).wallMs);
    calls.push(upstream.heard.length);
    rounds.push(roundsOf(upstream.heard));
  }
  return { wallMs: median(walls), calls: median(calls), rounds: median(rounds) };
}

/**
 * What one lookup takes without any server between, in milliseconds.
 *
 * @param samples as many again come before the first that counts.
 */
export async function measureDirect(
  upstream: SlowUpstream,
  path: string,
  samples: number,
): Promise<number> {
  const walls: number[] = [];
  for (let turn = 0; turn < 2 * samples; turn++) {
    const began = performance.now();
    const { body } = await request(upstream.url + path, { headers: { 'x-api-key': 'caller' } });
    await body.text();
    if (turn >= samples) walls.push(performance.now() - began);
  }
  return median(walls);
}
