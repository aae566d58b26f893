/**
 * Prints how many bytes of the old generation a request with twenty calls leaves behind before a full collection of V8.
 * It runs in a process of its own, because objects of other tests would count as well.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createUpstream } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import { instantDispatcher } from '../support/instant-dispatcher.ts';
import { DEFAULTS, scopeOf } from '../support/settings.ts';
import { sampleOf } from '../support/world.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;

const upstream = createUpstream({
  dispatcher: instantDispatcher(
    ...Array.from({ length: 20 }, (_, i) =>
      JSON.stringify(sampleOf(routes.getPerson, { person_id: `person_${i}` })),
    ),
  ),
  pathPrefix: '',
  routeSet: 'extended',
  timeoutMs: DEFAULTS.backend.timeoutMs,
});
let count = 0;

async function request(): Promise<void> {
  const rest = upstream(scopeOf());
  const calls = Array.from({ length: 20 }, (_, i) =>
    rest.call(routes.getPerson, { path: { person_id: `person_${i}` } }),
  );
  // One request in ten is under way during minor collections and may be promoted; the others may not.
  for (let i = 0; i < 2 && count % 10 === 0; i++) collect({ type: 'minor' });
  count += 1;
  await Promise.all(calls);
}

function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!;
  return old.space_used_size;
}

for (let i = 0; i < 500; i++) await request();
const before = oldBytes();
for (let i = 0; i < 100; i++) await request();
process.stdout.write(String((oldBytes() - before) / 100));
