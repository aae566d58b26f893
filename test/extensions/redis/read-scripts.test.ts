/** The scripts that store responses and move epochs, run by Redis and compared with a model. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FoundRead, RedisReads } from '../../../src/extensions/redis/shared-reads.ts';
import { cases } from '../../support/cases.ts';
import { hasRedis, openRedis } from '../../support/redis.ts';
import { openShared } from './support.ts';

const REPLICAS = 3;
const replica = fc.nat(REPLICAS - 1);

/** `restart` makes the replica forget its epoch. */
const step = fc.oneof(
  fc.record({ what: fc.constantFrom('find', 'keep', 'move', 'restart'), replica }),
  { weight: 1, arbitrary: fc.record({ what: fc.constant('flush'), replica }) },
);

it.skipIf(!hasRedis)(
  'the scripts find only responses that were stored in the current epoch',
  async () => {
    const redis = await openRedis();
    const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => openShared(redis)));
    let key = 0;

    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const apiKey = `key-${(key += 1)}`;
        const known = replicas.map(() => '');
        const found: ({ read: FoundRead; number: number } | undefined)[] = replicas.map(
          () => undefined,
        );
        // The model: the number of the present epoch, and the stored response with the number of its epoch.
        let number = 0;
        let kept: { number: number; text: string } | undefined;
        let highest = '';
        const readsOf = (i: number): RedisReads => replicas[i]!.reads;

        for (const [at, { what, replica: i }] of steps.entries()) {
          if (what === 'find') {
            const read = (await readsOf(i).find(apiKey, 'id', known[i]!))!;
            expect(read.kept?.text).toBe(kept?.number === number ? kept.text : undefined);
            expect(read.epoch >= highest).toBe(true);
            highest = known[i] = read.epoch;
            found[i] = { read, number };
          } else if (what === 'keep' && found[i]) {
            const { read, number: asked } = found[i];
            readsOf(i).keep(apiKey, 'id', read, performance.now() + 60_000, String(at));
            // Redis runs the commands of one replica in order, so that this waits for `keep`.
            await readsOf(i).find(`${apiKey} other`, 'id', '');
            if (asked === number) kept = { number, text: String(at) };
          } else if (what === 'move') {
            const epoch = (await readsOf(i).move(apiKey, known[i]!))!;
            expect(epoch > highest).toBe(true);
            highest = known[i] = epoch;
            number += 1;
          } else if (what === 'restart') {
            known[i] = '';
            found[i] = undefined;
          } else if (what === 'flush') {
            await redis.command('FLUSHALL');
            number += 1;
          }
        }
      }),
      { numRuns: cases(30) },
    );
  },
);
