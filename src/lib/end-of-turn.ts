/**
 * When everything that has arrived is dealt with: the end of the event loop's turn.
 *
 * Calls and answers leave then, together. Waking up whoever reads one costs the system more than
 * writing it, and a reader who is awake need not be woken: under load that was half of a small
 * request's CPU. Where nothing else has arrived, a turn ends at once.
 */

let end: Promise<void> | undefined;

/** One promise for all who ask in the same turn. */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
}
