/**
 * Prints how many bytes of the old generation a screen that is prefetched leaves behind before a full collection of V8,
 * where ten others are in flight all the time. It runs in its own process, because objects of other tests would
 * count as well.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { RememberedReads, Predictions, Run } from '../../../src/extensions/read-ahead/run.ts';
import { routes } from '../../../src/v0/routes.ts';
import { KEY } from '../../support/client.ts';
import { scopeOf } from '../../support/settings.ts';
import { oldBytes, openManualUpstream, promote } from '../../support/manual-upstream.ts';

const CHILDREN = 20;
const OTHERS = 10;

const { dispatcher, upstream } = openManualUpstream();
const runs = { remembered: new RememberedReads(), begun: new Set<never>(), now: () => 0 };
const predictions = new Predictions('screen');
let count = 0;
let ahead = 0;

/** Opens the screen that none of the others has. */
function request() {
  const screen = `${(count += 1) % (OTHERS + 1)}_`;
  const rest = upstream(scopeOf());
  const run = new Run(runs, KEY, rest, predictions, screen);
  rest.makeCall = run.makeCall;
  const read = (id: string) => rest.call(routes.getPerson, { path: { person_id: screen + id } });
  const open = async () => {
    await read('parent');
    await Promise.all(Array.from({ length: CHILDREN }, (_, i) => read(String(i))));
    run.end();
    ahead += run.counts.used;
    run.remember();
  };
  let isOpen = false;
  const opened = open().then(() => (isOpen = true));
  if (count % 100 === 0) promote();
  return { screen, opened, isOpen: () => isOpen };
}

const inFlight = Array.from({ length: OTHERS }, request);

async function requests(number: number): Promise<void> {
  for (let i = 0; i < number; i++) {
    inFlight.push(request());
    const { screen, opened, isOpen } = inFlight.shift()!;
    while (!isOpen()) {
      await turn();
      dispatcher.answer(screen);
    }
    await opened;
  }
}

await requests(200);
ahead = 0;
const before = oldBytes();
await requests(300);
if (ahead !== 300 * CHILDREN) throw new Error(`Only ${ahead} reads began ahead.`);
process.stdout.write(String((oldBytes() - before) / 300), () => process.exit());
