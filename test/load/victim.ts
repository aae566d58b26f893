/**
 * The victim of an attack, and the probe of an orchestrator: both ask at a fixed rate.
 *
 * An open loop: latency counts from when a request was due, so that a gateway that stalls is not asked less
 * often for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { POST_JSON, send } from '../support/client.ts';
import { percentile } from '../support/percentile.ts';

export const VICTIM_KEY = 'key-of-the-victim';

/** A request without a response for so long is lost. */
const PATIENCE_MS = 10_000;

/** Requests a second, of the victim. */
const RATE = 20;

const LOOKUP = 'query Lookup($id: ID!) { person(personId: $id) { personId name email domain } }';

/** Five calls in two rounds. */
const SCREEN = `query Screen($id: ID!) { page(pageId: $id) { name title audiences(first: 3) {
  totalCount nodes { audienceId effectiveName latestVersion { versionNumber status }
  person { personId name email } } } } }`;

export interface VictimReport {
  readonly asked: number;
  /** Requests without a sound response within ten seconds. */
  readonly lost: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** What was wrong about responses that came, each once. */
  readonly wrong: readonly string[];
}

export interface Victim {
  /** Waits for what is in flight, and reports on what was due since a moment of `performance.now()`. */
  stop(sinceMs: number): Promise<VictimReport>;
}

export function openVictim(url: string): Victim {
  const wrong = new Set<string>();
  const asked = atRate(RATE, async (turn) => {
    const reply = await askAsVictim(url, turn);
    const complaint = complaintAbout(reply, turn);
    if (complaint === undefined) return;
    wrong.add(complaint);
    throw new Error(complaint);
  });
  return {
    stop: async (sinceMs) => {
      const times = await asked.stop(sinceMs);
      return {
        asked: times.length,
        lost: times.filter((ms) => ms === Infinity).length,
        medianMs: percentile(times, 0.5),
        p99Ms: percentile(times, 0.99),
        wrong: [...wrong],
      };
    },
  };
}

/** Asks what the victim asks, as fast as a few callers can, until V8 has compiled what that needs. */
export async function warmUp(url: string, ms: number): Promise<void> {
  const endMs = performance.now() + ms;
  let turn = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < endMs) await askAsVictim(url, --turn);
  };
  await Promise.all(Array.from({ length: 8 }, caller));
}

/** Asks `/health` twice a second, over a new connection each time; resolves with how long responses took. */
export const openProbe = (url: string) =>
  atRate(2, async () => {
    const { status } = await send(`${url}/health`, { headers: { connection: 'close' } });
    if (status !== 200) throw new Error(`/health responded with ${status}.`);
  });

/** Three lookups to a screen. */
const askAsVictim = (url: string, turn: number) =>
  send(`${url}/graphql`, {
    method: 'POST',
    headers: { ...POST_JSON, 'x-api-key': VICTIM_KEY },
    body: JSON.stringify({
      query: turn % 4 === 0 ? SCREEN : LOOKUP,
      variables: { id: `v${turn}` },
    }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });

/** What is wrong about a response to the victim; undefined for nothing. */
function complaintAbout(
  { status, text, data, codes }: Awaited<ReturnType<typeof send>>,
  turn: number,
): string | undefined {
  const name = data?.page?.name ?? data?.person?.name;
  if (name === undefined || codes.length > 0) {
    return `The victim received ${status} ${codes.join(', ') || text.slice(0, 100)}.`;
  }
  if (turn % 4 !== 0 && data.person.personId !== `v${turn}`) {
    return 'The victim received another object.';
  }
  const names = [...text.matchAll(/"name":"(.*?)"/g)].map(([, one]) => one);
  if (names.some((one) => one !== VICTIM_KEY)) {
    return "The victim received another key's data.";
  }
  return undefined;
}

/** Calls `run` at a fixed rate. `stop` returns milliseconds per call, Infinity for those that failed. */
function atRate(perSecond: number, run: (turn: number) => Promise<void>) {
  const samples: { dueMs: number; tookMs: number }[] = [];
  const running = new Set<Promise<void>>();
  const beganMs = performance.now();
  let isOver = false;
  const ended = (async () => {
    for (let turn = 0; !isOver; turn++) {
      const dueMs = beganMs + (turn * 1_000) / perSecond;
      // Late calls are made up for at once.
      if (dueMs > performance.now()) await sleep(dueMs - performance.now());
      if (isOver) return;
      const sample = { dueMs, tookMs: Infinity };
      samples.push(sample);
      const one = run(turn)
        .then(
          () => {
            sample.tookMs = performance.now() - dueMs;
          },
          () => {}, // it has failed, which is what the sample says already
        )
        .finally(() => running.delete(one));
      running.add(one);
    }
  })();
  return {
    stop: async (sinceMs: number): Promise<number[]> => {
      isOver = true;
      await ended;
      await Promise.all(running);
      return samples.filter(({ dueMs }) => dueMs >= sinceMs).map(({ tookMs }) => tookMs);
    },
  };
}
