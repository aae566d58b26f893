/**
 * The executor responds as graphql-js does, for random schemas, resolvers and operations.
 *
 * By hand, `CASES=200 npx vitest run test/execution/random-schemas.test.ts` runs 20,000 seeds; a failure prints its own.
 */
import type { ExecutionResult } from 'graphql';
import { expect, it } from 'vitest';
import { afterRejections, byGraphqlJs, executeWith, nulls, written } from './oracle.ts';
import { COMPILED_AFTER } from '../../src/execution/core/plain-leaves.ts';
import { seeds } from '../support/cases.ts';
import { fakeTime } from '../support/fake-clock.ts';
import { randomWorld } from './random-schema.ts';

const SEEDS = seeds(101);
const COUNT = SEEDS.length;

/** Whether a mutation was rejected for a null argument before its execution: see differences.md. */
const isRefused = (source: string, { data, errors = [] }: ExecutionResult): boolean =>
  source.startsWith('mutation') &&
  data === undefined &&
  errors.length === 1 &&
  errors[0]!.path === undefined &&
  /^Argument ".*(?:must not be null|has invalid value .*\bnull\b.*)\.$/.test(errors[0]!.message);

it('returns the result of graphql-js, byte for byte, without promises', async () => {
  // Pauses change the order of errors.
  fakeTime();
  let errors = 0;
  for (const seed of SEEDS) {
    const { source, makeArgs } = randomWorld(seed, false);
    const execute = executeWith();
    const expected = written(await byGraphqlJs(makeArgs()));

    const first = await execute(makeArgs());
    const second = await execute(makeArgs());
    for (let i = 2; i < COMPILED_AFTER; i++) await execute(makeArgs());
    const compiled = await execute(makeArgs());

    if (isRefused(source, second)) continue;
    for (const result of [first, second, compiled]) {
      expect(written(result), `seed ${seed}: ${source}`).toEqual(expected);
    }
    errors += first.errors?.length ?? 0;
  }

  if (COUNT > 100) expect(errors).toBeGreaterThan(COUNT);
});

it('returns the result of graphql-js with promises, and handles every rejection', async () => {
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
      if (isRefused(source, result)) continue;
      expect(written(result), `seed ${seed}: ${source}`).toMatchObject({
        data: (written(expected) as { data: string }).data,
      });
      expect(nulls(result), `seed ${seed}: ${source}`).toEqual(nulls(expected));
    }
    expect(unhandled, `seed ${seed}: ${source}`).toEqual([]);
    errors += expected.errors?.length ?? 0;
  }

  if (COUNT > 100) expect(errors).toBeGreaterThan(COUNT);
});
