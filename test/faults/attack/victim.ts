/**
 * The caller who is harmed, and the operator's probes: both ask at a fixed rate, whatever happens.
 *
 * An open loop: how long an answer took counts from when its question was due, so that a gateway
 * that stands still is not asked less for it.
 */
import { get } from 'node:http';
import { Agent } from 'undici';
import { bodyOf, headersOf, type Post } from './definition.ts';

export const VICTIM_KEY = 'key-of-the-victim';

/** One kind of question. */
export interface Asking {
  readonly kind: string;
  readonly post: (turn: number) => Post;
  /** Whether a body is what it has to be. @default without errors */
  readonly isSound?: (body: any) => boolean;
}

/** A legitimate mix: three lookups to a nested screen, so that the median is a lookup's. */
export const LEGITIMATE = { perSecond: 20, mix: [lookup(), lookup(), lookup(), screen()] };

export function lookup(): Asking {
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
function screen(): Asking {
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

/** What is not answered by then never is. */
const PATIENCE_MS = 10_000;

/** Questions under way at once; what is due beyond them is not sent and counts as never answered. */
const MAX_UNDER_WAY = 250;

interface Sample {
  readonly kind: string;
  readonly dueMs: number;
  /** Infinity while, or because, there is no sound answer. */
  tookMs: number;
}

export interface VictimReport {
  readonly asked: number;
  /** Answers that were wrong, late by more than ten seconds, or never came. */
  readonly failed: number;
  /** By kind, in milliseconds. */
  readonly medianMs: ReadonlyMap<string, number>;
  readonly p99Ms: number;
}

export interface Victim {
  /** What was due from one moment to another, on `performance.now()`'s clock. */
  report(fromMs: number, toMs: number): VictimReport;
  close(): Promise<void>;
}

export function openVictim(
  url: string,
  { perSecond, mix }: { readonly perSecond: number; readonly mix: readonly Asking[] },
): Victim {
  const agent = new Agent({ headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  const samples: Sample[] = [];
  let underWay = 0;

  const stop = everyMs(1_000 / perSecond, (turn, dueMs) => {
    const asking = mix[turn % mix.length]!;
    const sample: Sample = { kind: asking.kind, dueMs, tookMs: Infinity };
    samples.push(sample);
    if (underWay >= MAX_UNDER_WAY) return;
    underWay += 1;
    ask(asking, turn)
      .then(
        (sound) => {
          const tookMs = performance.now() - dueMs;
          if (sound && tookMs <= PATIENCE_MS) sample.tookMs = tookMs;
        },
        () => {}, // it never came
      )
      .finally(() => {
        underWay -= 1;
      });
  });

  async function ask({ post, isSound = withoutErrors }: Asking, turn: number): Promise<boolean> {
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

/** The value below which this share of the numbers lies. */
function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

const withoutErrors = (body: any): boolean => body.data != null && body.errors === undefined;

export interface Probes {
  /** The longest that a path took of those asked from one moment to another; Infinity: no answer. */
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

/** Runs something again and again, when it is due and not when the last one has ended. */
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
