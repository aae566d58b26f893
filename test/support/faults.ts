/**
 * Responses and faults of a backend.
 *
 * Faults below HTTP (cut, reset, raw bytes, silence) are written to the socket itself.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as it arrived. */
export interface Seen {
  readonly method: string;
  /** Path and query, byte for byte. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** On `performance.now()`'s clock. */
  readonly atMs: number;
}

/** One response, or a fault instead. */
export type Behaviour = (
  response: ServerResponse,
  seen: Seen,
  socket: Socket,
) => void | Promise<void>;

const JSON_HEADERS = { 'content-type': 'application/json' };

/** 200 with JSON; a function makes the JSON of the request. */
export const ok =
  (body: unknown, headers: Readonly<Record<string, string | string[]>> = {}): Behaviour =>
  (response, seen) => {
    const value: unknown = typeof body === 'function' ? body(seen) : body;
    response.writeHead(200, { ...JSON_HEADERS, ...headers });
    response.end(JSON.stringify(value));
  };

/** A status with the backend's own error body, and headers. */
export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) => {
    response.writeHead(code, { ...JSON_HEADERS, ...headers });
    response.end(JSON.stringify({ code: 'SECRET_UPSTREAM_WORD', message: 'secret upstream text' }));
  };

/** A status with a page of HTML, as proxies and Express send it. */
export const html =
  (code: number): Behaviour =>
  (response) => {
    response.writeHead(code, { 'content-type': 'text/html' });
    response.end(`<html><h1>${code} secret upstream text</h1></html>`);
  };

/** A status with a body as proxies write it. */
export const ofProxy =
  (code: number, body: string, type = 'application/json', headers = {}): Behaviour =>
  (response) =>
    void response.writeHead(code, { 'content-type': type, ...headers }).end(body);

/** 200 with exactly this text. */
export const text =
  (body: string | Buffer, contentType = 'application/json'): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
  };

/** Delays a behaviour. */
export const after =
  (ms: number, behaviour: Behaviour): Behaviour =>
  async (...args) => {
    await sleep(ms);
    await behaviour(...args);
  };

/** Holds a behaviour until it is released. */
export function held(behaviour: Behaviour): { behaviour: Behaviour; release: () => void } {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    behaviour: async (...args) => {
      await released;
      await behaviour(...args);
    },
    release,
  };
}

/** Accepts the request, and never responds. */
export const silence = (): Behaviour => () => {};

/** Resets the connection (RST) after this many bytes of a 200 response; 0 is before its headers. */
export const reset =
  (afterBytes = 0): Behaviour =>
  async (response, _seen, socket) => {
    if (afterBytes > 0) {
      response.writeHead(200, { ...JSON_HEADERS, 'content-length': String(afterBytes + 1_000) });
      response.write('['.padEnd(afterBytes, ' '));
      await sleep(20); // a reset discards bytes that were not read yet
    }
    socket.resetAndDestroy();
  };

/** Announces a whole body and closes the connection in order (FIN) in its middle. */
export const cut =
  (body: unknown): Behaviour =>
  (response, _seen, socket) => {
    const whole = JSON.stringify(body);
    response.writeHead(200, { ...JSON_HEADERS, 'content-length': String(whole.length) });
    response.write(whole.slice(0, Math.floor(whole.length / 2)), () => socket.end());
  };

/** Closes the connection in order, without a response. */
export const hangUp = (): Behaviour => (_response, _seen, socket) => {
  socket.end();
};

/** One byte at a time, without an end. */
export const drip =
  (everyMs: number): Behaviour =>
  async (response, _seen, socket) => {
    response.writeHead(200, JSON_HEADERS);
    response.write('[');
    while (!socket.destroyed) {
      await sleep(everyMs);
      response.write(' ');
    }
  };

/** Chunks without end, as fast as they are taken. */
export const endless =
  (chunk: Buffer = Buffer.alloc(65_536, ' ')): Behaviour =>
  async (response, _seen, socket) => {
    response.writeHead(200, JSON_HEADERS);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    while (!socket.destroyed) {
      if (response.write(chunk)) continue;
      const drained = new Promise((resolve) => response.once('drain', resolve));
      await Promise.race([drained, closed]);
    }
  };

/** These bytes instead of an HTTP response; the connection stays open. */
export const raw =
  (bytes: string | Buffer): Behaviour =>
  (_response, _seen, socket) => {
    socket.write(bytes);
  };
