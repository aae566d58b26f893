/**
 * Prints how many bytes of the old generation a request leaves behind before a full collection of V8. Its arguments: how
 * many others are always in flight, of how many API keys, and how many calls each request makes. It runs in its own
 * process, because objects of other tests would count as well.
 */
import { routes } from '../../src/v0/routes.ts';
import { scopeOf } from '../support/settings.ts';
import { oldBytes, openManualUpstream, promote } from '../support/manual-upstream.ts';

const [OTHERS, KEYS, CALLS] = process.argv.slice(2).map(Number) as [number, number, number];
const MEASURED = 6_000 / CALLS;

const { dispatcher, upstream } = openManualUpstream();
let count = 0;

function request() {
  const id = `${(count += 1)}_`;
  const rest = upstream(scopeOf({ apiKey: `key-${count % KEYS}` }));
  const answers = Promise.all(
    Array.from({ length: CALLS }, (_, i) =>
      rest.call(routes.getPerson, { path: { person_id: `${id}${i}` } }),
    ),
  );
  if (count % (2_000 / CALLS) === 0) promote();
  return { id, answers };
}

const inFlight = Array.from({ length: OTHERS }, request);

async function requests(number: number): Promise<void> {
  for (let i = 0; i < number; i++) {
    inFlight.push(request());
    const { id, answers } = inFlight.shift()!;
    dispatcher.answer(id);
    await answers;
  }
}

await requests(4_000 / CALLS);
const before = oldBytes();
await requests(MEASURED);
process.stdout.write(String((oldBytes() - before) / MEASURED), () => process.exit());
