/** An upstream whose calls wait for a test to respond to them, and the size of V8's old generation. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Dispatcher } from 'undici';
import { createUpstream } from '../../src/rest/upstream.ts';
import { routes } from '../../src/v0/routes.ts';
import { DEFAULTS } from './settings.ts';
import { sampleOf } from './world.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;

/** Promotes what is in use, which may keep nothing of later requests. */
export function promote(): void {
  for (let i = 0; i < 2; i++) collect({ type: 'minor' });
}

export function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!;
  return old.space_used_size;
}

const CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: [],
  rawTrailers: [],
  abort: () => {},
  pause: () => {},
  resume: () => {},
};

/** Responds to reads of persons on demand, in the order of calls, without a socket. */
class WaitingDispatcher extends Dispatcher {
  #waiting: { readonly id: string; readonly handler: Dispatcher.DispatchHandler }[] = [];

  override dispatch(
    { path }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    this.#waiting.push({ id: path.slice(path.lastIndexOf('/') + 1), handler });
    return true;
  }

  /** Responds to those of ids with this prefix. */
  answer(start: string): void {
    const asked = this.#waiting.filter(({ id }) => id.startsWith(start));
    this.#waiting = this.#waiting.filter(({ id }) => !id.startsWith(start));
    for (const { id, handler } of asked) {
      const body = JSON.stringify(sampleOf(routes.getPerson, { person_id: id }));
      handler.onRequestStart?.(CONTROLLER, {});
      handler.onResponseStart?.(CONTROLLER, 200, { 'content-type': 'application/json' }, '');
      handler.onResponseData?.(CONTROLLER, Buffer.from(body));
      handler.onResponseEnd?.(CONTROLLER, {});
    }
  }
}

export function openManualUpstream() {
  const dispatcher = new WaitingDispatcher();
  const upstream = createUpstream({
    dispatcher,
    pathPrefix: '',
    routeSet: 'extended',
    timeoutMs: DEFAULTS.backend.timeoutMs,
    connections: 1_000,
  });
  return { dispatcher, upstream };
}
