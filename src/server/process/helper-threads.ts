/**
 * V8's helper threads, which collect garbage and compile beside the thread that answers.
 *
 * On a single core they take turns with it as its equals: while four of them work it has a fifth of the
 * core, and a turn of 15 ms takes 60. With a lower priority they have what it leaves, and all of the core
 * while it waits for them. With more cores they have their own; a low priority there would let other
 * processes hold up a collection that the thread waits for.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';

/** A tenth of the weight of the thread that answers. */
const NICE = 10;

export function yieldToMainThread(): void {
  if (process.platform !== 'linux' || availableParallelism() > 1) return;
  try {
    for (const name of readdirSync('/proc/self/task')) {
      const thread = Number(name);
      // On Linux a priority is a thread's own. The main thread has the number of the process.
      if (thread !== process.pid) setPriority(thread, NICE);
    }
  } catch {
    // A sandbox may refuse it: the process is then slower in hard times, and nothing else.
  }
}
