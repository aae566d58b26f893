/**
 * The slowest answers: at a fixed rate of requests, and of a process that has just started.
 *
 * Closed-loop latencies are in the main table. Here the rate is a share of what a server can take, and a
 * latency counts from when a request was due, so that no server gains by making others wait.
 */
import { loadavg } from 'node:os';
import { ask } from './ask.ts';
import { startServer, type Contestant, type Server } from './contestants.ts';
import type { Load } from './load.ts';
import type { Measured } from './measure.ts';
import { median } from './median.ts';
import { requestsOf, SCREEN, type BenchQuery } from './queries.ts';

/** The share of its capacity that a server is asked for. */
const RATE_SHARE = 0.6;
/** Requests a second that meet no other. */
const UNLOADED_RATE = 25;
const COLD_STARTS = 5;
/** The query of a new process that its first one is compared with, and how many around it. */
const HUNDREDTH = 100;
const AROUND = 5;

export interface Tail {
  readonly measured: Measured;
  /** The median without other requests. */
  readonly unloadedMs: number;
  /** At the fixed rate. */
  readonly openP50Ms: number;
  readonly openP99Ms: number;
  readonly openP999Ms: number;
}

export interface ColdStart {
  readonly contestant: Contestant;
  readonly firstMs: number;
  readonly hundredthMs: number;
}

export interface TailCourse {
  /** @param rate requests a second. */
  readonly loadAt: (rate: number) => Load;
  readonly rounds: number;
  readonly seconds: number;
  readonly callers: number;
}

export async function measureTail(
  all: readonly Measured[],
  { loadAt, rounds, seconds, callers }: TailCourse,
): Promise<readonly Tail[]> {
  const turns = new Map(all.map((one) => [one, [] as Omit<Tail, 'measured'>[]]));
  for (let round = 0; round < rounds; round++) {
    for (const one of all) {
      const { server, query, requestsPerSecond } = one;
      const requests = requestsOf(query, callers);
      const unloaded = await loadAt(UNLOADED_RATE)(server.url, requests, seconds);
      const open = await loadAt(RATE_SHARE * requestsPerSecond)(server.url, requests, seconds);
      turns.get(one)!.push({
        unloadedMs: unloaded.p50Ms,
        openP50Ms: open.p50Ms,
        openP99Ms: open.p99Ms,
        openP999Ms: open.p999Ms,
      });
    }
  }
  return all.map((measured) => {
    const middle = (figure: keyof Omit<Tail, 'measured'>): number =>
      median(turns.get(measured)!.map((turn) => turn[figure]));
    return {
      measured,
      unloadedMs: middle('unloadedMs'),
      openP50Ms: middle('openP50Ms'),
      openP99Ms: middle('openP99Ms'),
      openP999Ms: middle('openP999Ms'),
    };
  });
}

/** New processes, each asked for the nested screen again and again, one request at a time. */
export async function measureColdStart(
  contestant: Contestant,
  query: BenchQuery,
  upstreamUrl: string,
  folder: string,
): Promise<ColdStart> {
  const first: number[] = [];
  const hundredth: number[] = [];
  const requests = requestsOf(query, 1);
  for (let start = 0; start < COLD_STARTS; start++) {
    const server: Server = await startServer(contestant, upstreamUrl, folder);
    for (let turn = 1; turn <= HUNDREDTH + AROUND; turn++) {
      const { wallMs } = await ask(server.url, requests[turn % requests.length]!);
      if (turn === 1) first.push(wallMs);
      else if (turn >= HUNDREDTH - AROUND) hundredth.push(wallMs);
    }
    await server.child.stop();
  }
  return { contestant, firstMs: median(first), hundredthMs: median(hundredth) };
}

const COLUMNS = [
  '',
  'server',
  '32 connections: p50 ms',
  'p99',
  'p99.9',
  'p99 ÷ p50',
  'unloaded: p50 ms',
  '60 %, open loop: p50 ms',
  'p99',
  'p99.9',
  'p99 ÷ unloaded',
];

export function tailTable(tails: readonly Tail[]): string {
  const lines = tails.map(({ measured, unloadedMs, openP50Ms, openP99Ms, openP999Ms }) => {
    const { query, server, p50Ms, p99Ms, p999Ms } = measured;
    const closed = [p50Ms, p99Ms, p999Ms, p99Ms / p50Ms];
    const open = [unloadedMs, openP50Ms, openP99Ms, openP999Ms, openP99Ms / unloadedMs];
    return [query.name, server.contestant.name, ...[...closed, ...open].map(digits)];
  });
  const dashes = COLUMNS.map((_, i) => (i < 2 ? '---' : '--:'));
  return [COLUMNS, dashes, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export const coldStartLine = (starts: readonly ColdStart[]): string =>
  `New processes, ${SCREEN}, first and hundredth: ${starts
    .map(
      ({ contestant, firstMs, hundredthMs }) =>
        `${contestant.name} ${digits(firstMs)} and ${digits(hundredthMs)} ms (${digits(firstMs / hundredthMs)}×)`,
    )
    .join(', ')}.`;

/** The machine's load when the tail was measured: figures of a busy machine are not its own. */
export const loadLine = (): string =>
  `Load of the machine, 1, 5 and 15 minutes: ${loadavg().map(digits).join(', ')}.`;

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
