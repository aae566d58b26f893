/**
 * The one loop that measures: every server in turn, again and again, and the middle of what was seen.
 *
 * Turns are interleaved and rotated because a shared machine drifts: figures of one round belong together, so ratios
 * are taken within a round, and the median is reported. Next to it, one request at a time against an upstream of 20 ms:
 * how long it takes, and why.
 */
import { request } from 'undici';
import type { Load, LoadResult } from './load.ts';
import { cpuMicros, residentMegabytes } from './machine.ts';
import { requestsOf, type BenchQuery } from './queries.ts';
import { ask, type Server } from './servers.ts';
import { roundsOf, type SlowUpstream, type Upstream } from './upstream.ts';

export interface Measured {
  readonly server: Server;
  readonly query: BenchQuery;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** CPU time of the server a request, in microseconds; NaN where it is not counted. */
  readonly cpuMicros: number;
  /** REST calls a request under load. */
  readonly calls: number;
  /** After the last round, in megabytes. */
  readonly residentMb: number;
  /** Ours by theirs, in requests a second: above 1, ours serves more. */
  readonly rateRatio: number;
  /** Ours by theirs, in CPU time per request: below 1, ours needs less. */
  readonly cpuRatio: number;
  /** What went wrong under load. */
  readonly faults: readonly string[];
}

export interface Course {
  readonly load: Load;
  readonly upstream: Upstream;
  readonly rounds: number;
  readonly seconds: number;
  readonly callers: number;
  /** Whether each server has a turn that does not count. */
  readonly warm: boolean;
}

/** A server's turn: what a request cost, and what the load saw. */
interface Turn extends LoadResult {
  readonly rate: number;
  readonly cpu: number;
  readonly calls: number;
}

/** Before V8 has compiled what a query needs, a process takes several times as long for it. */
const WARMING_SECONDS = 12;

/** Each turn begins with a lead that does not count: in pauses V8 shrinks the heap and drops compiled code. */
export const LEAD_SECONDS = 3;

/** The most that heads may add to a response, in bytes. */
const HEADS = 2_000;

/** @param servers ours first. */
export async function measureQuery(
  servers: readonly Server[],
  query: BenchQuery,
  { load, upstream, rounds, callers, warm, ...course }: Course,
): Promise<readonly Measured[]> {
  const requests = requestsOf(query, callers);
  // With a hundred calls a request, few requests fit into a turn.
  const seconds = query.calls > 50 && warm ? course.seconds * 2 : course.seconds;
  const turns = new Map<Server, Turn[]>(servers.map((server) => [server, []]));
  for (const { url } of warm ? servers : []) await load(url, requests, WARMING_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < servers.length; i++) {
      const server = servers[(i + round) % servers.length]!;
      const { pid } = server.child;
      if (warm) await load(server.url, requests, LEAD_SECONDS);
      const [callsBefore, cpuBefore] = [await upstream.calls(), cpuMicros(pid)];
      const result = await load(server.url, requests, seconds);
      // What was cut off at the end is finished before it is counted.
      await new Promise((resolve) => setTimeout(resolve, 100));
      const [cpuAfter, callsAfter] = [cpuMicros(pid), await upstream.calls()];
      // What a turn's end cuts off cost something too: half of each, on average.
      const begun = result.requests + result.cut / 2;
      turns.get(server)!.push({
        ...result,
        rate: (result.requests - result.failures) / result.seconds,
        cpu: (cpuAfter - cpuBefore) / begun,
        calls: (callsAfter - callsBefore) / begun,
      });
    }
  }
  const own = turns.get(servers[0]!)!;
  return Promise.all(
    servers.map(async (server) => {
      const theirs = turns.get(server)!;
      const middle = (figure: keyof Turn): number => median(theirs.map((turn) => turn[figure]));
      const { bytes, errors } = await ask(server.url, requests[0]!);
      const faults = faultsOf(theirs, bytes);
      if (errors !== undefined) faults.push(`afterwards: ${JSON.stringify(errors).slice(0, 300)}`);
      return {
        server,
        query,
        requestsPerSecond: middle('rate'),
        p50Ms: middle('p50Ms'),
        p90Ms: middle('p90Ms'),
        p99Ms: middle('p99Ms'),
        p999Ms: middle('p999Ms'),
        cpuMicros: middle('cpu'),
        calls: middle('calls'),
        residentMb: residentMegabytes(server.child.pid),
        rateRatio: median(own.map(({ rate }, round) => rate / theirs[round]!.rate)),
        cpuRatio: median(own.map(({ cpu }, round) => cpu / theirs[round]!.cpu)),
        faults: faults.map((fault) => `${query.name}: ${server.contestant.name}: ${fault}`),
      };
    }),
  );
}

/** Responses that are no responses: by their status, or by their length where each has the same. */
function faultsOf(turns: readonly Turn[], expected: number): string[] {
  const total = (figure: keyof Turn) => turns.reduce((sum, turn) => sum + turn[figure], 0);
  const [requests, failures] = [total('requests'), total('failures')];
  const bytes = total('bytes') / requests;
  const faults: string[] = [];
  if (failures > 0) faults.push(`${failures} of ${requests} responses were rejections or errors`);
  if (bytes > 0 && (bytes < expected || bytes > expected + HEADS)) {
    faults.push(`responses under load had ${Math.round(bytes)} bytes, alone they have ${expected}`);
  }
  return faults;
}

export const LATENCY_MS = 20;

/** Calls after which a process is warm, however few requests they came from. */
const WARMING_CALLS = 12_000;

/** Requests in flight at once before the first that counts, at most. */
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
  { url }: Server,
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
  const seen: Wall[] = [];
  for (let turn = 0; turn < samples; turn++) {
    upstream.forget();
    const { wallMs } = await ask(url, at(turn));
    const { heard } = upstream;
    seen.push({ wallMs, calls: heard.length, rounds: roundsOf(heard) });
  }
  const middle = (figure: keyof Wall): number => median(seen.map((one) => one[figure]));
  return { wallMs: middle('wallMs'), calls: middle('calls'), rounds: middle('rounds') };
}

/** What one lookup takes without any server between, in milliseconds. */
export async function measureDirect(
  upstream: SlowUpstream,
  path: string,
  samples: number,
): Promise<number> {
  const walls: number[] = [];
  // As many again come before the first that counts.
  for (let turn = 0; turn < 2 * samples; turn++) {
    const began = performance.now();
    const { body } = await request(upstream.url + path, { headers: { 'x-api-key': 'caller' } });
    await body.text();
    if (turn >= samples) walls.push(performance.now() - began);
  }
  return median(walls);
}

/** NaN of an empty series. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const at = (i: number): number => sorted[i] ?? NaN;
  return (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
}
