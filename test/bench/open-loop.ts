/**
 * Open-loop load: requests are due at a fixed rate, however late their answers come.
 *
 * A process of its own, started by `openLoopLoad`. The latency of a request counts from when it was due, so
 * a server that stalls is charged for all that came meanwhile. Bytes go over plain sockets: an HTTP client
 * would cost more than some servers.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/** How long to sleep between looks at the clock and the sockets, in milliseconds: timers of Node are too coarse. */
const NAP_MS = 0.05;
/** Connections that may be open; a request that finds none free waits, and its latency goes on. */
const MAX_CONNECTIONS = 256;
/** Requests of the first moments are not counted: connections open, and this process gets warm. */
const WARMING_S = 1;
/** How long answers may be late at the end, in milliseconds. */
const PATIENCE_MS = 5_000;

const [url, file, rate, seconds] = process.argv.slice(2);
const { hostname, port } = new URL(url!);
const requests = readFileSync(file!, 'utf8').trimEnd().split('\n').map(bytesOf);
const gapMs = 1_000 / Number(rate);
const uncounted = Math.round(Number(rate) * WARMING_S);
const total = uncounted + Math.round(Number(rate) * Number(seconds));

const free: Connection[] = [];
const waiting: number[] = [];
const latencies: number[] = [];
const cell = new Int32Array(new SharedArrayBuffer(4));
let open = 0;
let sent = 0;
let answered = 0;
let failures = 0;
const beganMs = performance.now() + 50;
const countedFromMs = beganMs + uncounted * gapMs;

class Connection {
  readonly #socket: Socket;
  #dueMs = 0;
  #missing = -1;

  constructor() {
    open += 1;
    this.#socket = connect(Number(port), hostname).setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', (error) => {
      throw error;
    });
  }

  ask(dueMs: number): void {
    this.#dueMs = dueMs;
    this.#socket.write(requests[sent++ % requests.length]!);
  }

  #read(chunk: Buffer): void {
    if (this.#missing < 0) {
      const head = chunk.toString('latin1', 0, 2_000);
      const headEnd = head.indexOf('\r\n\r\n') + 4;
      const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
      if (headEnd < 4 || !length) throw new Error(`No head with a length: ${head}`);
      if (!head.startsWith('HTTP/1.1 200')) failures += 1;
      this.#missing = headEnd + Number(length);
    }
    this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    this.#missing = -1;
    answered += 1;
    if (this.#dueMs >= countedFromMs) latencies.push(performance.now() - this.#dueMs);
    const next = waiting.shift();
    if (next === undefined) free.push(this);
    else this.ask(next);
  }
}

function step(): void {
  const nowMs = performance.now();
  let due = sent + waiting.length;
  for (; due < total && beganMs + due * gapMs <= nowMs; due += 1) {
    const dueMs = beganMs + due * gapMs;
    const connection = free.pop() ?? (open < MAX_CONNECTIONS ? new Connection() : undefined);
    if (connection) connection.ask(dueMs);
    else waiting.push(dueMs);
  }
  if (answered === total || nowMs > beganMs + total * gapMs + PATIENCE_MS) {
    report();
    return;
  }
  Atomics.wait(cell, 0, 0, NAP_MS);
  setImmediate(step);
}

function report(): never {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)]! * 1_000;
  const result = {
    requests: sorted.length,
    micros: Number(seconds) * 1e6,
    bytes: 0,
    failures: failures + total - answered,
    p50: at(0.5),
    p99: at(0.99),
    p999: at(0.999),
  };
  process.stdout.write(`RESULT ${JSON.stringify(result)}\n`);
  process.exit();
}

function bytesOf(line: string): Buffer {
  const [apiKey, body = ''] = line.split('\t');
  const head = [
    'POST /graphql HTTP/1.1',
    `host: ${hostname}:${port}`,
    'content-type: application/json',
    'accept: application/json',
    `x-api-key: ${apiKey}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

step();
