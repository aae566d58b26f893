/**
 * The executor answers as graphql-js does, for random schemas, resolvers and operations.
 *
 * The seeds are fixed here. By hand, `npm run fuzz:execution` runs 20,000 others, and
 * `FUZZ_EXECUTION=100000 npm run fuzz:execution` as many as it says; a failure prints its seed, and
 * `FUZZ_SEED=7 FUZZ_EXECUTION=1 npm run fuzz:execution` runs it again.
 */
import type { ExecutionResult } from 'graphql';
import { expect, it } from 'vitest';
import { afterRejections, byGraphqlJs, executeWith, written } from './oracle.ts';
import { randomWorld } from './random-schema.ts';

const WANTED = Number(
  process.env['FUZZ_EXECUTION'] ??
    (process.env['npm_lifecycle_event'] === 'fuzz:execution' ? 20_000 : 0),
);
const COUNT = WANTED || 101;
const FIRST = Number(process.env['FUZZ_SEED'] ?? (WANTED && Math.floor(Math.random() * 1e9)));
const SEEDS = Array.from({ length: COUNT }, (_, i) => FIRST + i);

/** The paths that are null because of an error; which of several errors came first is up to chance. */
const nulls = ({ data, errors = [] }: ExecutionResult) =>
  new Set(
    errors.map(({ path = [] }) => {
      let [value, depth]: [any, number] = [data, 0];
      for (; value != null && depth < path.length; depth++) value = value[path[depth]!];
      return JSON.stringify(path.slice(0, depth));
    }),
  );

it('answers as graphql-js does, byte for byte, without promises', async () => {
  let errors = 0;
  for (const seed of SEEDS) {
    const { source, makeArgs } = randomWorld(seed, false);
    const execute = executeWith();
    const expected = written(await byGraphqlJs(makeArgs()));

    const first = await execute(makeArgs());
    const second = await execute(makeArgs());

    expect(written(first), `seed ${seed}: ${source}`).toEqual(expected);
    expect(written(second), `seed ${seed}: ${source}`).toEqual(expected);
    errors += first.errors?.length ?? 0;
  }

  if (COUNT > 100) expect(errors).toBeGreaterThan(COUNT);
}, 3_600_000);

it('answers as graphql-js does with promises, and handles every rejection', async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  let errors = 0;
  for (const seed of SEEDS) {
    const { source, makeArgs } = randomWorld(seed, true);
    const execute = executeWith();
    const expected = await byGraphqlJs(makeArgs());
    process.on('unhandledRejection', onUnhandled);

    const results = [await execute(makeArgs()), await execute(makeArgs())];

    await afterRejections();
    process.off('unhandledRejection', onUnhandled);
    for (const result of results) {
      expect(written(result), `seed ${seed}: ${source}`).toMatchObject({
        data: (written(expected) as { data: string }).data,
      });
      expect(nulls(result), `seed ${seed}: ${source}`).toEqual(nulls(expected));
    }
    expect(unhandled, `seed ${seed}: ${source}`).toEqual([]);
    errors += expected.errors?.length ?? 0;
  }

  if (COUNT > 100) expect(errors).toBeGreaterThan(COUNT);
}, 3_600_000);
