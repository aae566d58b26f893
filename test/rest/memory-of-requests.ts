/**
 * Prints how many bytes of the old generation a request with twenty calls leaves behind before a full collection of V8,
 * where as many others are in flight all the time as the first argument says. It runs in a process of its own, because
 * objects of other tests would count as well.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Dispatcher } from 'undici';
import { createUpstream } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import { DEFAULTS, scopeOf } from '../support/settings.ts';
import { sampleOf } from '../support/world.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;

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

/** Answers when it is told to, in the order of calls, without a socket. */
class WaitingDispatcher extends Dispatcher {
  readonly #waiting: { readonly id: string; readonly handler: Dispatcher.DispatchHandler }[] = [];

  override dispatch(
    { path }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    this.#waiting.push({ id: path.slice(path.lastIndexOf('/') + 1), handler });
    return true;
  }

  answer(calls: number): void {
    for (const { id, handler } of this.#waiting.splice(0, calls)) {
      const body = JSON.stringify(sampleOf(routes.getPerson, { person_id: id }));
      handler.onRequestStart?.(CONTROLLER, {});
      handler.onResponseStart?.(CONTROLLER, 200, { 'content-type': 'application/json' }, '');
      handler.onResponseData?.(CONTROLLER, Buffer.from(body));
      handler.onResponseEnd?.(CONTROLLER, {});
    }
  }
}

const CALLS = 20;
const OTHERS = Number(process.argv[2]);

const dispatcher = new WaitingDispatcher();
const upstream = createUpstream({
  dispatcher,
  pathPrefix: '',
  routeSet: 'extended',
  timeoutMs: DEFAULTS.backend.timeoutMs,
  connections: 1_000,
});
let count = 0;

function request(): Promise<unknown> {
  count += 1;
  const rest = upstream(scopeOf());
  const calls = Promise.all(
    Array.from({ length: CALLS }, (_, i) =>
      rest.call(routes.getPerson, { path: { person_id: `person_${count}_${i}` } }),
    ),
  );
  // What is in flight twice during minor collections is promoted, and may keep nothing of later requests.
  for (let i = 0; i < 2 && count % 100 === 0; i++) collect({ type: 'minor' });
  return calls;
}

const inFlight = Array.from({ length: OTHERS }, request);

async function requests(number: number): Promise<void> {
  for (let i = 0; i < number; i++) {
    inFlight.push(request());
    dispatcher.answer(CALLS);
    await inFlight.shift();
  }
}

function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!;
  return old.space_used_size;
}

await requests(200);
const before = oldBytes();
await requests(300);
process.stdout.write(String((oldBytes() - before) / 300), () => process.exit());
