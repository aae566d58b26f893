/**
 * Server-sent events in the "distinct connections mode" of GraphQL over SSE: the results of a subscription, or a single
 * result for callers that accept nothing else.
 *
 * Not Yoga's writer: it sends `complete` when the process stops, after which clients do not reconnect; it lets proxies
 * buffer, and never ends stalled readers.
 *
 * Source: https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';
import { COMPLETE, eventOf, OPENING } from '../operation/framing.ts';
import { formatResult, type EventStream } from '../operation/response.ts';
import type { Subscriptions } from '../operation/subscriptions.ts';

/**
 * Time after which a stalled reader is disconnected, in milliseconds; until then it misses events, except the latest.
 */
export const STALLED_MS = 300_000;

/**
 * Pause before a stream ends without `complete`, in milliseconds. The client of graphql-sse hangs if the last event and
 * the end arrive together.
 */
const PAUSE_MS = 100;

/**
 * Idle time before TCP keep-alive probes, in milliseconds; the system closes the connection ten seconds later. Heartbeats to a
 * client that lost its network would otherwise be retransmitted for a quarter of an hour.
 */
const KEEPALIVE_MS = 5_000;

/**
 * Writes a stream until its end. Headers must be set before.
 *
 * When the process stops, the stream ends without `complete`, which makes its client reconnect.
 */
export async function writeEvents(
  outgoing: ServerResponse,
  { results, stream }: EventStream,
  subscriptions: Subscriptions,
  clock: Clock,
): Promise<void> {
  const onClose = (): void => stream.close('left');
  outgoing.on('close', onClose);
  outgoing.socket?.setKeepAlive(true, KEEPALIVE_MS);
  if (outgoing.destroyed) onClose();
  subscriptions.add(stream);
  outgoing.write(OPENING);
  let wroteMs = 0;
  for await (const result of results) {
    const hasRoom = outgoing.write(eventOf(JSON.stringify(formatResult(result))));
    wroteMs = performance.now();
    if (!hasRoom && !(await hasDrained(outgoing, clock))) {
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

/** Waits until the buffer drains; resolves to false for a stalled reader. */
function hasDrained(outgoing: ServerResponse, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (drained: boolean) => (): void => {
      clock.clearTimeout(timer);
      outgoing.off('drain', onDrain).off('close', onDrain);
      resolve(drained);
    };
    const onDrain = settle(true);
    const timer = clock.setTimeout(settle(false), STALLED_MS);
    outgoing.on('drain', onDrain).on('close', onDrain);
  });
}
