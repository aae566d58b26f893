/**
 * Rounds of load: every server in turn, again and again, and the middle of what was seen.
 *
 * Turns are interleaved and rotated because a shared machine drifts: figures of one round belong
 * together, so ratios are taken within a round, and the median is reported.
 */
import { ask } from './ask.ts';
import type { Server } from './contestants.ts';
import type { Load, LoadResult } from './load.ts';
import { cpuMicros, residentMegabytes } from './machine.ts';
import { median } from './median.ts';
import { requestsOf, type BenchQuery, type GraphQLRequest } from './queries.ts';
import type { Upstream } from './upstream.ts';

export interface Measured {
  readonly server: Server;
  readonly query: BenchQuery;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** CPU time of the server a request, in microseconds; NaN where it is not counted. */
  readonly cpuMicros: number;
  /** REST calls a request under load. */
  readonly calls: number;
  /** After the last round, in megabytes. */
  readonly residentMb: number;
  /** Ours by theirs, in requests a second: above 1, ours answers more. */
  readonly rateRatio: number;
  /** Theirs by ours, in CPU time a request: above 1, ours needs less. */
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

interface Turn {
  readonly rate: number;
  readonly cpu: number;
  readonly calls: number;
  readonly result: LoadResult;
}

/** Before V8 has compiled what a query needs, a process takes several times as long for it. */
const WARMING_SECONDS = 4;

/** The most that heads may add to an answer, in bytes. */
const HEADS = 2_000;

/** @param servers ours first. */
export async function measureQuery(
  servers: readonly Server[],
  query: BenchQuery,
  course: Course,
): Promise<readonly Measured[]> {
  const requests = requestsOf(query, course.callers);
  // With a hundred calls a request, few requests fit into a turn.
  const seconds = query.calls > 50 && course.warm ? course.seconds * 2 : course.seconds;
  const turns = new Map<Server, Turn[]>(servers.map((server) => [server, []]));
  if (course.warm) {
    for (const server of servers) await course.load(server.url, requests, WARMING_SECONDS);
  }
  for (let round = 0; round < course.rounds; round++) {
    for (let i = 0; i < servers.length; i++) {
      const server = servers[(i + round) % servers.length]!;
      turns.get(server)!.push(await takeTurn(server, requests, { ...course, seconds }));
    }
  }
  const [ours] = servers;
  return Promise.all(
    servers.map(async (server) => {
      const [own, theirs] = [turns.get(ours!)!, turns.get(server)!];
      return {
        server,
        query,
        requestsPerSecond: median(theirs.map(({ rate }) => rate)),
        p50Ms: median(theirs.map(({ result }) => result.p50Ms)),
        p99Ms: median(theirs.map(({ result }) => result.p99Ms)),
        p999Ms: median(theirs.map(({ result }) => result.p999Ms)),
        cpuMicros: median(theirs.map(({ cpu }) => cpu)),
        calls: median(theirs.map(({ calls }) => calls)),
        residentMb: residentMegabytes(server.child.pid) ?? NaN,
        rateRatio: median(own.map(({ rate }, round) => rate / theirs[round]!.rate)),
        cpuRatio: median(own.map(({ cpu }, round) => theirs[round]!.cpu / cpu)),
        faults: await findFaults(server, query, requests, theirs),
      };
    }),
  );
}

async function takeTurn(
  { url, child }: Server,
  requests: readonly GraphQLRequest[],
  { load, upstream, seconds }: Course,
): Promise<Turn> {
  const callsBefore = await upstream.calls();
  const cpuBefore = cpuMicros(child.pid) ?? NaN;
  const result = await load(url, requests, seconds);
  // What was cut off at the end is finished before it is counted.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const cpu = (cpuMicros(child.pid) ?? NaN) - cpuBefore;
  const calls = (await upstream.calls()) - callsBefore;
  // What a turn's end cuts off cost something too: half of each, on average.
  const begun = result.requests + result.cut / 2;
  return {
    rate: (result.requests - result.failures) / result.seconds,
    cpu: cpu / begun,
    calls: calls / begun,
    result,
  };
}

/** Answers that are no answers: by their status, or by their length where each has the same. */
async function findFaults(
  { url, contestant }: Server,
  { name }: BenchQuery,
  requests: readonly GraphQLRequest[],
  turns: readonly Turn[],
): Promise<string[]> {
  const faults: string[] = [];
  const say = (what: string): number => faults.push(`${name}: ${contestant.name}: ${what}`);
  const { bytes: expected, errors } = await ask(url, requests[0]!);
  if (errors !== undefined)
    say(`afterwards answered errors ${JSON.stringify(errors).slice(0, 300)}`);
  const requested = sum(turns.map(({ result }) => result.requests));
  const failures = sum(turns.map(({ result }) => result.failures));
  const bytes = sum(turns.map(({ result }) => result.bytes)) / requested;
  if (failures > 0) say(`${failures} of ${requested} answers under load were refusals or errors`);
  if (bytes > 0 && (bytes < expected || bytes > expected + HEADS)) {
    say(
      `answers under load had ${Math.round(bytes)} bytes on average, alone they have ${expected}`,
    );
  }
  return faults;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
