/**
 * Server-sent events, as the "distinct connections mode" of GraphQL over SSE writes them: the results of a
 * subscription, or one result for callers who accept nothing else.
 *
 * Yoga's writer ends a stream with `complete` when the process stops, so that its client does not come
 * again; it does not tell proxies to pass events on, and cuts no reader that reads nothing.
 *
 * Source: https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { COMPLETE, eventOf, OPENING } from '../operation/framing.ts';
import { formatted, type EventStream } from '../operation/response.ts';
import type { Subscriptions } from '../operation/subscriptions.ts';

/** Time for which a reader may read nothing; it misses events meanwhile, but not the newest. */
const STALLED_MS = 300_000;

/**
 * The pause before a stream ends without `complete`. graphql-sse's client waits for ever where the
 * last event and the end arrive together.
 */
const PAUSE_MS = 100;

/**
 * Silence of a connection before the system probes its other end, in milliseconds; it
 * gives up ten seconds later. A client that lost its network says nothing, and heartbeats to it would be
 * sent again for a quarter of an hour.
 */
const KEEPALIVE_MS = 5_000;

/**
 * Writes a stream to its end. Headers have been set.
 *
 * A process that stops ends it without `complete`, so that its client comes again.
 */
export async function writeEvents(
  outgoing: ServerResponse,
  { results, stream }: EventStream,
  subscriptions: Subscriptions,
): Promise<void> {
  const onClose = (): void => stream.close('left');
  outgoing.on('close', onClose);
  outgoing.socket?.setKeepAlive(true, KEEPALIVE_MS);
  if (outgoing.destroyed) onClose();
  subscriptions.add(stream);
  outgoing.write(OPENING);
  let wroteMs = 0;
  for await (const result of results) {
    const hasRoom = outgoing.write(eventOf(jsonOf(result)));
    wroteMs = performance.now();
    if (!hasRoom && !(await hasDrained(outgoing))) {
      stream.close('stalled');
      outgoing.destroy();
    }
  }
  subscriptions.delete(stream);
  if (outgoing.destroyed) return;
  if (stream.cause === 'complete') outgoing.end(COMPLETE);
  else {
    await sleep(Math.max(0, wroteMs + PAUSE_MS - performance.now()));
    outgoing.end();
  }
}

/** The same in pieces, to be written one by one. */
export async function* framesOf({ results, stream }: EventStream): AsyncGenerator<string, void> {
  for await (const result of results) yield eventOf(jsonOf(result));
  if (stream.cause === 'complete') yield COMPLETE;
}

const jsonOf = (result: ExecutionResult): string => JSON.stringify(formatted(result));

/** False when its reader has not read for long. */
function hasDrained(outgoing: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (drained: boolean) => (): void => {
      clearTimeout(timer);
      outgoing.off('drain', onDrain).off('close', onDrain);
      resolve(drained);
    };
    const onDrain = settle(true);
    const timer = setTimeout(settle(false), STALLED_MS);
    outgoing.on('drain', onDrain).on('close', onDrain);
  });
}
