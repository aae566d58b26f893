/**
 * T63: faults of one route or of one tenant, which leave others alone.
 *
 * Each test has its own gateway and mostly waits, so they run concurrently.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../support/open-log.ts';
import { reset, silence, status, type Behaviour } from '../support/faults.ts';
import { KEY, OTHER_KEY } from '../support/gateway-process.ts';
import { world } from '../support/world.ts';
import { openCallers, type Callers, type Heard } from './callers.ts';
import { openTestbed, type Testbed } from './testbed.ts';
import { until } from '../support/until.ts';

async function open(env?: Readonly<Record<string, string>>): Promise<[Testbed, Callers]> {
  const testbed = await openTestbed(env);
  return [testbed, openCallers(testbed.gateway)];
}

let asked = 0;
/** A screen of two routes that is shared with no other. */
const screen = (): string =>
  `{ person(personId: "p${asked++}") { name } topic(topicId: "t${asked}") { title } }`;

/** Asks every `everyMs`, whether or not earlier requests get responses. */
async function askSteadily(
  everyMs: number,
  count: number,
  ask: () => Promise<Heard>,
): Promise<Heard[]> {
  const heard: Promise<Heard>[] = [];
  for (; heard.length < count; await sleep(everyMs)) heard.push(ask());
  return Promise.all(heard);
}

const PERSONS = '/v0/persons/';
const WELL = { title: 'title' };

/** The default time-outs; other tests use short ones. */
const PATIENT = { UPSTREAM_TIMEOUT_MS: '3000', REQUEST_TIMEOUT_MS: '10000' };

describe.concurrent('T63 a fault', () => {
  it.each<[string, Behaviour]>([
    ['returns 500', status(500)],
    ['returns 503', status(503)],
    ['does not respond', silence()],
    ['resets every connection', reset()],
  ])(
    'T63 of one route that %s does not affect the other route of a query',
    async (_name, fault) => {
      const [{ upstream, gateway }, callers] = await open(PATIENT);
      const ask = () => callers.ask(screen());
      await until(async () => expect((await ask()).body.errors).toBeUndefined());
      const before = await askSteadily(30, 20, ask);
      expect(before.flatMap(({ body }) => body.errors ?? [])).toEqual([]);

      const personsAsked = () =>
        upstream.seen.map(({ target }) => target).filter((target) => target.startsWith(PERSONS));
      // By the route alone: the ids are always new.
      upstream.on('*', (response, seen, socket) =>
        (seen.target.startsWith(PERSONS) ? fault : world())(response, seen, socket),
      );
      const early = await askSteadily(15, 180, ask);
      const askedEarly = personsAsked();
      const late = await askSteadily(30, 40, ask);
      const askedLate = personsAsked();

      const during = [...early, ...late];
      const lost = during.filter(({ body }) => body.data.topic?.title !== WELL.title);
      expect(lost.map(({ body }) => body.errors.map((error: any) => error.message))).toEqual([]);
      expect(during.every(({ body }) => body.data.person === null)).toBe(true);
      // The circuit rejects the calls of the last ones, except a probe every few seconds.
      expect(askedLate.length - askedEarly.length).toBeLessThan(late.length / 2);

      const ready = await gateway.get('/ready');
      expect([ready.status, ready.body]).toMatchObject([
        200,
        { ready: true, degraded: true, upstream: { breaker: 'closed' } },
      ]);
      const route = 'GET /v0/persons/{person_id}';
      expect(ready.body.upstream.open).toMatchObject([{ scope: 'route_key', route, count: 1 }]);
      expect(await gateway.metric('gateway_breakers_open', 'scope="route_key"')).toBe(1);
      expect(await gateway.metric('gateway_breaker_state', 'scope="route_key"')).toBeGreaterThan(0);
      expect(await gateway.metric('gateway_breaker_state', 'scope="host"')).toBe(0);
      expect(linesOf(gateway.output)).toContainEqual(
        expect.objectContaining({ scope: 'route_key', route, state: 'open' }),
      );
      const { text: metrics } = await gateway.get('/metrics');
      expect(ready.text + metrics + gateway.output).not.toContain(KEY);

      // Half-open after 5 s at most: one probe closes the circuit.
      upstream.on('*', world());
      await until(async () => {
        const { body } = await callers.ask(screen());
        expect(body.errors).toBeUndefined();
      }, 8_000);
      await until(async () => expect((await gateway.get('/ready')).body.degraded).toBe(false));
    },
  );

  it.each([400, 1_500])(
    'T63 of one tenant does not affect another tenant that requests the same route every %i ms',
    async (everyMs) => {
      const [{ upstream }, callers] = await open(PATIENT);
      const query = () => `{ person(personId: "p${asked++}") { name } }`;
      upstream.on('*', (response, seen, socket) =>
        (seen.headers['x-api-key'] === KEY ? status(500) : world())(response, seen, socket),
      );

      let end = (): void => {};
      const ended = new Promise<void>((resolve) => (end = resolve));
      const noisy = callers.loop(4, ended, async () => {
        const { body } = await callers.ask(query());
        expect(body.data).toEqual({ person: null });
      });
      await until(() => upstream.hits() >= 20);
      const quiet = await askSteadily(everyMs, 3_500 / everyMs, () =>
        callers.ask(query(), { apiKey: OTHER_KEY }),
      );
      end();
      await noisy;

      expect(quiet.filter(({ body }) => body.data?.person?.name !== 'name')).toEqual([]);
    },
  );
});
