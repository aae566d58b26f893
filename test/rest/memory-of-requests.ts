/**
 * Prints how many bytes of the old generation a request leaves behind before a full collection of V8. Its arguments: how
 * many others are always in flight, of how many API keys, how many calls each request makes, and how many requests are
 * measured. It runs in its own process, because objects of other tests would count as well.
 */
import { routes } from '../../src/v0/routes.ts';
import { scopeOf } from '../support/settings.ts';
import { oldBytes, openManualUpstream, promote } from '../support/manual-upstream.ts';

const [OTHERS, KEYS, CALLS, MEASURED] = process.argv.slice(2).map(Number) as [
  number,
  number,
  number,
  number,
];

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
  if (count % (MEASURED / 3) === 0) promote();
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

await requests((2 * MEASURED) / 3);
const before = oldBytes();
await requests(MEASURED);
process.stdout.write(String((oldBytes() - before) / MEASURED), () => process.exit());
