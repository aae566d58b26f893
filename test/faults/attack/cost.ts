/**
 * The CPU time of one request alone, and how much of it its answer is worth.
 *
 * An answer is worth its number of values times the CPU time of a value, which is measured with a large
 * legitimate answer in the same run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { startBackend, startGateway, timesOf, type Running } from './run-attack.ts';
import { bodyOf, headersOf, type Post } from './definition.ts';

export interface Cost {
  readonly status: number;
  readonly cpuMs: number;
  readonly bytes: number;
  /** Objects, lists and leaves of the answer. */
  readonly values: number;
  /** CPU beyond what the values are worth; Infinity when the gateway died. */
  readonly overMs: number;
  /** The first bytes of the answer. */
  readonly head: string;
}

/** Whether a request ended in an unexpected error, or without any answer. */
export const isBroken = ({ status, head }: Cost): boolean =>
  status === 0 || status >= 500 || head.includes('INTERNAL_SERVER_ERROR');

export interface CostMeter {
  /** CPU time of one value, in milliseconds. */
  readonly valueMs: number;
  /** Values of the answer it was measured with. */
  readonly valuesOfAnswer: number;
  measure(post: Post): Promise<Cost>;
  /** The cheapest of several measurements: garbage collection is not the request's own cost. */
  measureBest(post: (turn: number) => Post, times: number): Promise<Cost>;
  close(): Promise<void>;
}

/** The longest wait for an answer. */
const PATIENCE_MS = 60_000;

/** After so much CPU time one measurement is enough. */
const ENOUGH_MS = 1_000;

/** A process that runs for less than this in 20 ms is idle, in milliseconds. */
const IDLE_MS = 1;

/** A gateway that was busy for so long may have opened its circuit breaker: it is started again. */
const RESTART_AFTER_MS = 2_000;

/** Nearly as long as a request may take, so that a busy gateway does not blame the backend. */
const PATIENT = { UPSTREAM_TIMEOUT_MS: '9000' };

const WARMING = 400;
const SAMPLES = 40;

/** Ten pages with forty audiences each. */
const LARGE = `query Large($a: ID!, $b: ID!) { ${Array.from(
  { length: 10 },
  (_, i) => `p${i}: page(pageId: $${i % 2 ? 'a' : 'b'}) { pageId name title status createdAt
    audiences(first: 100) { totalCount nodes { audienceId effectiveName status createdAt
      latestVersion { versionNumber status createdAt }
      publishedVersion { versionNumber status publishedAt } } } }`,
).join(' ')} }`;

const large = (turn: number): Post => ({
  query: LARGE,
  variables: { a: `a${turn}`, b: `b${turn}` },
  key: 'key-of-the-meter',
});

export async function openCostMeter(): Promise<CostMeter> {
  const backend = await startBackend({ latencyMs: 0 });
  const agent = new Agent({ headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  let gateway = await startWarm();
  let valueMs = 0;
  let valuesOfAnswer = 0;
  await priceValues();
  return {
    get valueMs() {
      return valueMs;
    },
    get valuesOfAnswer() {
      return valuesOfAnswer;
    },
    measure,
    measureBest: async (post, times) => {
      let best: Cost | undefined;
      for (let turn = 0; turn < times && !(best && best.cpuMs > ENOUGH_MS); turn++) {
        const cost = await measure(post(turn));
        if (!best || cost.overMs < best.overMs) best = cost;
      }
      return best!;
    },
    close: async () => {
      await agent.destroy();
      await gateway.stop();
      await backend.stop();
    },
  };

  /** A warm gateway: code costs many times as much until V8 has compiled it. */
  async function startWarm(): Promise<Running> {
    const started = await startGateway(backend.url, PATIENT);
    const warm: ((turn: number) => Post)[] = [
      (turn) => ({ query: `{ topic(topicId: "t${turn}") { title } }`, key: 'key-of-the-meter' }),
      (turn) => ({ query: `{ nobody${turn} }`, key: 'key-of-the-meter' }),
      (turn) => ({ query: '{ __schema { types { name } } }', variables: { turn } }),
    ];
    for (let turn = 0; turn < WARMING; turn++) {
      await send(started.url, warm[turn % warm.length]!(turn));
      if (turn % 20 === 0) await send(started.url, large(-turn));
    }
    return started;
  }

  async function priceValues(): Promise<void> {
    let [cpuMs, values] = [0, 0];
    for (let turn = 0; turn < SAMPLES; turn++) {
      const cost = await measure(large(turn));
      cpuMs += cost.cpuMs;
      values += cost.values;
    }
    valueMs = cpuMs / values;
    valuesOfAnswer = Math.round(values / SAMPLES);
  }

  async function measure(post: Post): Promise<Cost> {
    const beforeMs = await idle(gateway.pid);
    try {
      const reply = await send(gateway.url, post);
      const cpuMs = (await idle(gateway.pid)) - beforeMs;
      if (cpuMs > RESTART_AFTER_MS) await restart();
      return { ...reply, cpuMs, overMs: cpuMs - reply.values * valueMs };
    } catch (error) {
      const cpuMs = timesOf(gateway.pid).cpuMs - beforeMs;
      await restart();
      return { status: 0, bytes: 0, values: 0, cpuMs, overMs: Infinity, head: String(error) };
    }
  }

  async function restart(): Promise<void> {
    await gateway.stop();
    gateway = await startWarm();
  }

  async function send(url: string, post: Post) {
    const response = await agent.request({
      origin: url,
      path: '/graphql',
      method: 'POST',
      headers: headersOf(post),
      body: bodyOf(post),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const counter = new ValueCounter();
    let bytes = 0;
    let head = '';
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (head.length < 300) head += chunk.toString('latin1', 0, 300);
      counter.add(chunk);
    }
    return { status: response.statusCode, bytes, values: counter.values, head };
  }
}

/** Waits until a process is idle; resolves with its CPU time until then. */
async function idle(pid: number): Promise<number> {
  let before = timesOf(pid).cpuMs;
  for (let i = 0; i < 250; i++) {
    await sleep(20);
    const now = timesOf(pid).cpuMs;
    if (now - before < IDLE_MS) return now;
    before = now;
  }
  return before;
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, SPACE] = [0x5b, 0x5d, 0x7b, 0x7d, 0x20];

/** Counts the values of a JSON text chunk by chunk: an answer may be larger than a string can be. */
export class ValueCounter {
  values = 0;
  /** For every open bracket, whether it is a list's. */
  readonly #lists: boolean[] = [];
  #inString = false;
  #escaped = false;
  /** Whether the last character opened a list: the next one is its first item's, or closes it. */
  #opened = false;

  add(chunk: Buffer): void {
    for (const byte of chunk) {
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
        continue;
      }
      if (byte <= SPACE) continue;
      if (this.#opened && byte !== CLOSE_LIST) this.values += 1;
      this.#opened = byte === OPEN_LIST;
      if (byte === QUOTE) this.#inString = true;
      else if (byte === COLON || (byte === COMMA && this.#lists.at(-1))) this.values += 1;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#lists.push(byte === OPEN_LIST);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#lists.pop();
    }
  }
}
