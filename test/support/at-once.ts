import { setImmediate as turn } from 'node:timers/promises';

/**
 * What a promise comes to without anything waited for: no timer, no socket.
 *
 * @throws where it is not settled before the event loop turns.
 */
export async function atOnce<Value>(promise: Promise<Value>): Promise<Value> {
  const turned = turn(NOT_YET);
  const first = await Promise.race([promise, turned]);
  if (first === NOT_YET) throw new Error('Not at once');
  return first;
}

const NOT_YET = Symbol('not yet');
