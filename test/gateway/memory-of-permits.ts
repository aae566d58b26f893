/**
 * Prints how many bytes of the old generation an operation's permit leaves behind before a full collection of V8, where
 * ten of sixty API keys always have one operation in flight. It runs in its own process, because objects of other tests
 * would count as well.
 */
import { Admission, type Permit } from '../../src/gateway/policies/admission.ts';
import { oldBytes, promote } from '../support/manual-upstream.ts';

const MEASURED = 200_000;

const admission = new Admission();
const inFlight: Permit[] = [];
let count = 0;

async function operations(number: number): Promise<void> {
  for (let i = 0; i < number; i++) {
    inFlight.push((await admission.enter(`key-${(count += 1) % 60}`, () => 1))!);
    if (inFlight.length > 10) inFlight.shift()!.release();
    if (count % 50_000 === 0) promote();
  }
}

await operations(100_000);
const before = oldBytes();
await operations(MEASURED);
process.stdout.write(String((oldBytes() - before) / MEASURED), () => process.exit());
