/**
 * Requests over raw connections: sent ahead of each other, and read or not read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attacker } from './definition.ts';

type Headers = Readonly<Record<string, string>>;

export const KEY = 'key-of-an-attacker';
export const WITH_KEY: Headers = { 'x-api-key': KEY };

export const rawGet = (parameters: Readonly<Record<string, string>>): string =>
  raw('GET', `/graphql?${new URLSearchParams(parameters).toString()}`, WITH_KEY);

export const rawPost = (body: string, headers = WITH_KEY): string =>
  raw('POST', '/graphql', {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }) + body;

export const raw = (method: string, url: string, headers: Headers): string =>
  `${method} ${url} HTTP/1.1\r\nHost: a\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

const STATUS_LINE = /HTTP\/1\.1 (\d{3})/g;
const STATUS_LINE_LENGTH = 12;

/**
 * Over one connection: sends requests ahead, reads all the answers, and goes on until it is closed.
 *
 * @param ahead how many are sent before the first answer is waited for.
 */
export async function pipelineRead(
  attacker: Attacker,
  ahead: number,
  write: () => string,
): Promise<void> {
  const socket = attacker.connect();
  let answered = 0;
  let isClosed = false;
  let tail = '';
  let wake = (): void => {};
  socket.once('close', () => {
    isClosed = true;
    wake();
  });
  socket.on('data', (chunk: Buffer) => {
    // A status line may be split between two chunks.
    const text = tail + chunk.toString('latin1');
    tail = text.slice(1 - STATUS_LINE_LENGTH);
    for (const [, status] of text.matchAll(STATUS_LINE)) {
      answered += 1;
      attacker.count(`status ${status}`);
    }
    wake();
  });
  for (let sent = ahead; !attacker.over && !isClosed; sent += ahead) {
    socket.write(Array.from({ length: ahead }, write).join(''));
    attacker.count('requests', ahead);
    while (answered < sent && !isClosed && !attacker.over) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      await Promise.race([woken, sleep(attacker.leftMs, undefined, { ref: false })]);
    }
  }
  socket.resetAndDestroy();
  await sleep(20);
}

/** Sends requests and reads no answer; starts again when the connection is closed. */
export async function readNothing(attacker: Attacker, request: string, times = 1): Promise<void> {
  while (!attacker.over) {
    const socket = attacker.connect();
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.pause();
    socket.write(request.repeat(times));
    attacker.count('requests', times);
    await Promise.race([closed, sleep(attacker.leftMs, undefined, { ref: false })]);
    socket.resetAndDestroy();
    await sleep(20);
  }
}
