/** T64: neither other keys nor `/health` wait for a caller who asks for more than there is. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { beforeAll, expect, it } from 'vitest';
import { routes } from '../../src/v0/routes.ts';
import { sampleOf } from '../support/world.ts';
import { openCallers, type Callers, type Heard } from './callers.ts';
import { expectBelow, openStand, percentile, type Stand } from './stand.ts';

const ATTACKER = 'key-of-the-attacker';
const VICTIM = 'key-of-the-victim';

const PERSON = JSON.stringify(sampleOf(routes.getPerson, { person_id: 'x' }));

let stand: Stand;
let attackers: Callers;
let victims: Callers;

beforeAll(async () => {
  stand = await openStand({ LOG_LEVEL: 'warn' });
  // Written once: the backend runs in the process of the callers, and must not be what is slow.
  stand.upstream.on('*', async (response) => {
    await sleep(20);
    response.writeHead(200, { 'content-type': 'application/json' }).end(PERSON);
  });
  [attackers, victims] = [openCallers(stand.gateway), openCallers(stand.gateway)];
  // Both keys have been here before.
  for (const apiKey of [ATTACKER, VICTIM]) await victims.ask(lookups(1), { apiKey });
});

let count = 0;
/** So many persons that were not read before. */
const lookups = (many: number): string => {
  const fields = Array.from(
    { length: many },
    (_, i) => `p${i}: person(personId: "x${count++}") { name }`,
  );
  return `{ ${fields.join(' ')} }`;
};

/** A document that no other is like, about as costly to validate as one may be, with one call. */
const large = (): string =>
  `{ p0: person(personId: "x${count++}") { name ${'... on Person { email } '.repeat(90)} } }`;

/** What the victim waits, in the middle. */
async function victimMs(forMs: number): Promise<number> {
  const times: number[] = [];
  for (const endMs = performance.now() + forMs; performance.now() < endMs; await sleep(10)) {
    const { body, tookMs } = await victims.ask(lookups(1), { apiKey: VICTIM });
    expect(body).toEqual({ data: { p0: { name: 'name' } } });
    times.push(tookMs);
  }
  return percentile(times, 0.5);
}

const health = new Agent({ connections: 1 });

/** What `/health` takes, in the middle. */
async function healthMs(path: string, forMs: number): Promise<number> {
  const times: number[] = [];
  for (const endMs = performance.now() + forMs; performance.now() < endMs; await sleep(10)) {
    const startMs = performance.now();
    const answer = await health.request({ origin: stand.gateway.url, path, method: 'GET' });
    await answer.body.dump();
    expect(answer.statusCode).toBe(200);
    times.push(performance.now() - startMs);
  }
  return percentile(times, 0.5);
}

/** Asks all the time, whatever the answers, over so many connections. */
async function attack(connections: number, ms: number, write: () => string): Promise<Heard[]> {
  const heard: Heard[] = [];
  await attackers.loop(connections, ms, async () => {
    heard.push(await attackers.ask(write(), { apiKey: ATTACKER }));
  });
  return heard;
}

it.each([
  ['twenty lookups a request', () => lookups(20)],
  ['a large document a request, none like another', large],
])('T64 lets no other caller wait for one who sends %s', async (_what, write) => {
  await victimMs(300);

  await expectBelow(5, async () => {
    const calm = await victimMs(500);
    const [during] = await Promise.all([victimMs(1_000), attack(40, 1_000, write)]);
    return during / calm;
  });
  await expectBelow(50, async () => {
    const [alive, ready] = await Promise.all([
      healthMs('/health', 600),
      healthMs('/ready', 600),
      attack(40, 600, write),
    ]);
    return Math.max(alive, ready);
  });
});
