/**
 * The victim of an attack, and the probes of an orchestrator: both ask at a fixed rate.
 *
 * An open loop: latency counts from when a request was due, so that a gateway that stalls is not asked
 * less often for it.
 */
import { get } from 'node:http';
import { Agent } from 'undici';
import { bodyOf, headersOf, type Post } from './definition.ts';

export const VICTIM_KEY = 'key-of-the-victim';

/** One kind of request that a victim makes. */
export interface Question {
  readonly kind: string;
  readonly post: (turn: number) => Post;
  /** Whether an answer is what it has to be. @default it has data and no errors */
  readonly isSound?: (body: any) => boolean;
}

/** A legitimate mix: three lookups to a nested screen, so that the median is a lookup's. */
export const LEGITIMATE = { perSecond: 20, mix: [lookup(), lookup(), lookup(), screen()] };

export function lookup(): Question {
  return {
    kind: 'lookup',
    post: (turn) => ({
      query: 'query Lookup($id: ID!) { person(personId: $id) { personId name email domain } }',
      variables: { id: `v${turn}` },
      key: VICTIM_KEY,
    }),
  };
}

/** Five calls in two rounds. */
function screen(): Question {
  return {
    kind: 'screen',
    post: (turn) => ({
      query: `query Screen($id: ID!) { page(pageId: $id) { name title audiences(first: 3) {
        totalCount nodes { audienceId effectiveName latestVersion { versionNumber status }
        person { personId name email } } } } }`,
      variables: { id: `v${turn}` },
      key: VICTIM_KEY,
    }),
  };
}

/** A request without an answer for so long has failed. */
const PATIENCE_MS = 10_000;

/** Requests in flight at once. What is due beyond them is not sent, and has failed. */
const MAX_IN_FLIGHT = 250;

const WARMING_CALLERS = 8;

interface Sample {
  readonly kind: string;
  readonly dueMs: number;
  /** Infinity until, or without, a sound answer. */
  tookMs: number;
}

export interface VictimReport {
  readonly asked: number;
  /** Requests without a sound answer within ten seconds. */
  readonly failed: number;
  /** By kind, in milliseconds. */
  readonly medianMs: ReadonlyMap<string, number>;
  readonly p99Ms: number;
}

export interface Plan {
  readonly perSecond: number;
  /** Asked in turn. */
  readonly mix: readonly Question[];
}

export interface Victim {
  /** About the requests that were due between two moments of `performance.now()`. */
  report(fromMs: number, toMs: number): VictimReport;
  close(): Promise<void>;
}

export function openVictim(url: string, { perSecond, mix }: Plan): Victim {
  const agent = new Agent({ headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  const samples: Sample[] = [];
  let inFlight = 0;

  const stop = everyMs(1_000 / perSecond, (turn, dueMs) => {
    const question = mix[turn % mix.length]!;
    const sample: Sample = { kind: question.kind, dueMs, tookMs: Infinity };
    samples.push(sample);
    if (inFlight >= MAX_IN_FLIGHT) return;
    inFlight += 1;
    ask(agent, url, question, turn)
      .then(
        (sound) => {
          const tookMs = performance.now() - dueMs;
          if (sound && tookMs <= PATIENCE_MS) sample.tookMs = tookMs;
        },
        () => {}, // it has failed, which is what the sample says already
      )
      .finally(() => {
        inFlight -= 1;
      });
  });

  return {
    report: (fromMs, toMs) => {
      const due = samples.filter(({ dueMs }) => dueMs >= fromMs && dueMs < toMs);
      const kinds = new Set(due.map(({ kind }) => kind));
      const times = (some: readonly Sample[]) => some.map(({ tookMs }) => tookMs);
      return {
        asked: due.length,
        failed: due.filter(({ tookMs }) => tookMs === Infinity).length,
        medianMs: new Map(
          [...kinds].map((kind) => [
            kind,
            percentile(times(due.filter((one) => one.kind === kind)), 0.5),
          ]),
        ),
        p99Ms: percentile(times(due), 0.99),
      };
    },
    close: () => {
      stop();
      return agent.destroy();
    },
  };
}

/** Sends the same requests as fast as a few callers can, until V8 has compiled what they need. */
export async function warmUp(url: string, { mix }: Plan, ms: number): Promise<void> {
  const agent = new Agent();
  const endMs = performance.now() + ms;
  let turn = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < endMs) {
      turn += 1;
      await ask(agent, url, mix[turn % mix.length]!, -turn);
    }
  };
  await Promise.all(Array.from({ length: WARMING_CALLERS }, caller));
  await agent.destroy();
}

/** Whether the answer is sound. */
async function ask(
  agent: Agent,
  url: string,
  { post, isSound = withoutErrors }: Question,
  turn: number,
): Promise<boolean> {
  const one = post(turn);
  const response = await agent.request({
    origin: url,
    path: '/graphql',
    method: 'POST',
    headers: headersOf(one),
    body: bodyOf(one),
  });
  return isSound(await response.body.json());
}

/** The value below which this share of the numbers lies. */
function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

const withoutErrors = (body: any): boolean => body.data != null && body.errors === undefined;

export interface Probes {
  /** The longest answer of a path among those due between two moments; Infinity for none. */
  worst(path: string, fromMs: number, toMs: number): number;
  close(): void;
}

/** Asks each path twice a second, over a new connection each time, as orchestrators do. */
export function openProbes(port: number, paths: readonly string[]): Probes {
  const samples: (Sample & { readonly path: string })[] = [];
  const stop = everyMs(500, (_turn, dueMs) => {
    for (const path of paths) {
      const sample = { kind: 'probe', path, dueMs, tookMs: Infinity };
      samples.push(sample);
      const request = get({ port, host: '127.0.0.1', path, agent: false }, (response) => {
        response.resume();
        response.on('error', () => {});
        response.on('end', () => {
          sample.tookMs = performance.now() - dueMs;
        });
      });
      request.on('error', () => {});
      request.setTimeout(PATIENCE_MS, () => request.destroy());
    }
  });
  return {
    worst: (path, fromMs, toMs) =>
      Math.max(
        0,
        ...samples
          .filter((one) => one.path === path && one.dueMs >= fromMs && one.dueMs < toMs)
          .map(({ tookMs }) => tookMs),
      ),
    close: stop,
  };
}

/** Calls `run` at a fixed rate; late calls are made up for at once. */
export function everyMs(ms: number, run: (turn: number, dueMs: number) => void): () => void {
  const beganMs = performance.now();
  let turn = 0;
  let timer: NodeJS.Timeout;
  const next = (): void => {
    for (;;) {
      const dueMs = beganMs + turn * ms;
      const leftMs = dueMs - performance.now();
      if (leftMs > 0) {
        timer = setTimeout(next, leftMs);
        return;
      }
      run(turn++, dueMs);
    }
  };
  next();
  return () => clearTimeout(timer);
}
