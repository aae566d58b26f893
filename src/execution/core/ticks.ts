/**
 * Ticks of the event loop, in which long executions have little time each. Then they pause, so that other requests and
 * timers come in between. All executions of a process share them.
 */
import { AsyncResource } from 'node:async_hooks';

/** Time of all long executions in a tick, in milliseconds. */
export const TICK_MS = 2;

/** Continue paused executions, in the order in which they paused. */
const paused: (() => void)[] = [];
/** End of their time in this tick; 0 before the first look at the clock. */
let untilMs = 0;
let isScheduled = false;

/** Whether long executions have used up their time in this tick. */
export function isTickOver(nowMs: number): boolean {
  if (untilMs === 0) {
    untilMs = nowMs + TICK_MS;
    schedule();
  }
  return nowMs > untilMs;
}

/** Continues in a later tick, in the caller's asynchronous context. */
export function continueLater(resume: () => void): void {
  paused.push(AsyncResource.bind(resume));
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(resumePaused);
}

function resumePaused(): void {
  isScheduled = false;
  untilMs = 0;
  for (let resume = paused.shift(); resume; resume = paused.shift()) {
    resume();
    if (isTickOver(performance.now())) break;
  }
  // Executions that begin with the input polled next have their own time.
  untilMs = 0;
  if (paused.length > 0) schedule();
}
