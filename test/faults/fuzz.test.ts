/**
 * Random valid queries and random faults of the backend: every reply is sound.
 *
 * A failure names its seed; `SEED=7 CASES=0.01 npx vitest run test/faults/fuzz.test.ts` runs it again, and `CASES=50` runs
 * 5,000.
 */
import { beforeEach, expect, it } from 'vitest';
import { seeds } from '../support/cases.ts';
import { world } from '../support/world.ts';
import { chaos, queryOf } from './chaos.ts';
import { expectSound, IMPATIENT, openTestbed } from './testbed.ts';

const SEEDS = seeds(100);

/** The share of responses that have a fault. */
const RATE = 1 / 8;

/** Runs between two recoveries, so that the breaker stays out of most of them. */
const SPELL = 20;

const testbed = await openTestbed(IMPATIENT);
beforeEach(() => testbed.forget());

const calm = world();

it(
  `returns valid responses to ${SEEDS.length} random queries while one call in eight has a fault`,
  async () => {
    let faults = 0;
    const random = chaos(
      RATE,
      ({ headers }) => headers['x-request-id'],
      () => (faults += 1),
    );
    const codes = new Map<string, number>();
    let [asked, wanted] = [0, 0];
    testbed.upstream.on('*', (response, seen, socket) =>
      // Calls between the runs have no fault.
      String(seen.headers['x-request-id']).startsWith('fuzz-')
        ? random(response, seen, socket)
        : calm(response, seen, socket),
    );

    for (const seed of SEEDS) {
      const { source, variables } = queryOf(seed);
      // The first turn prepares the document.
      for (const turn of ['first', 'again']) {
        const id = `fuzz-${seed}-${turn}`;
        const before = testbed.upstream.seen.length;

        const reply = await testbed.ask(source, {
          variables,
          headers: { 'x-request-id': id, 'x-explain': 'true' },
        });

        const hits = testbed.upstream.seen
          .slice(before)
          .filter(({ headers }) => headers['x-request-id'] === id).length;
        const journal: readonly any[] = reply.body.extensions?.upstream?.journal ?? [];
        const sent = journal.filter((entry) => entry.source === 'sent');
        try {
          expectSound(reply, testbed.upstream.port);
          // No more calls than were reported; one that was cancelled may never have been sent.
          expect(hits).toBeLessThanOrEqual(sent.length);
          expect(hits).toBeGreaterThanOrEqual(sent.filter((entry) => entry.status != null).length);
        } catch (error) {
          const about = `seed ${seed}, ${turn}: ${source} ${JSON.stringify(variables)}`;
          const log = testbed.gateway.output.split('\n').filter((line) => line.includes(id));
          throw new Error([about, reply.text.slice(0, 1_000), ...log].join('\n'), { cause: error });
        }
        for (const code of reply.codes) codes.set(code, (codes.get(code) ?? 0) + 1);
        asked += hits;
        wanted += sent.length;
      }
      if (seed % SPELL === 0) {
        await testbed.holds([], { hits: [0, Infinity] });
        await testbed.calm();
      }
    }

    await testbed.holds([], { hits: [0, Infinity] });
    console.log(
      `${SEEDS.length} queries, ${asked} calls of ${wanted} begun, ${faults} faults, errors:`,
      Object.fromEntries(codes),
    );
    // Within four standard deviations.
    expect(faults).toBeGreaterThan(RATE * asked - 4 * Math.sqrt(RATE * (1 - RATE) * asked));
  },
  30_000 + SEEDS.length * 500,
);
