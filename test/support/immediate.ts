import { setImmediate as turn } from 'node:timers/promises';

/**
 * The value of a promise that waits for no timer and no socket.
 *
 * @throws if it is not settled before the event loop turns.
 */
export async function immediate<Value>(promise: Promise<Value>): Promise<Value> {
  const turned = turn(NOT_YET);
  const first = await Promise.race([promise, turned]);
  if (first === NOT_YET) throw new Error('Not at once');
  return first;
}

const NOT_YET = Symbol('not yet');
