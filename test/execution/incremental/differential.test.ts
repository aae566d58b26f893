/**
 * An incremental result, assembled, equals the whole result: for random schemas, documents and failures.
 *
 * By hand, `CASES=500 npx vitest run test/execution/incremental/differential.test.ts` runs 20,000 seeds; a failure prints
 * its own.
 */
import { parse, print, type ExecutionResult } from 'graphql';
import { expect, it } from 'vitest';
import { seeds } from '../../support/cases.ts';
import { afterRejections, executeWith } from '../oracle.ts';
import { randomWorld } from '../random-schema.ts';
import { assemble, at, plain, type Assembled } from './assembled.ts';
import { deferRandomly } from './random-deferral.ts';

const SEEDS = seeds(40);

const execute = executeWith();

/** Errors without those below another, which the whole result alone has for a list that breaks while it is read. */
function messagesOf(errors: ExecutionResult['errors'] = []): string[] {
  const texts = errors.map(({ path }) => `${path?.join('.')}`);
  return errors
    .filter((_, i) => !texts.some((text) => texts[i]!.startsWith(`${text}.`)))
    .map(({ message, path }) => `${path?.join('.')}: ${message}`)
    .sort();
}

/** The paths at which an incremental result differs from the whole one, except for parts that failed. */
function differences(
  { data, failed }: Assembled,
  whole: unknown,
  path: readonly (string | number)[] = [],
): string[] {
  const value = at(data, path);
  const wanted = at(whole, path);
  const isIn = (outer: readonly unknown[], inner: readonly unknown[]): boolean =>
    outer.every((key, i) => key === inner[i]);
  // A part that failed makes this null in the whole result, or is missing here.
  if (wanted === null && failed.some((one) => isIn(path, one) || isIn(one, path))) return [];
  if (value === undefined && failed.some((place) => isIn(place, path))) return [];
  if (typeof wanted !== 'object' || wanted === null || typeof value !== 'object' || !value) {
    return Object.is(value, wanted) ? [] : [path.join('.')];
  }
  const keys = new Set([...Object.keys(wanted), ...Object.keys(value as object)]);
  return [...keys].flatMap((key) =>
    differences({ data, failed } as Assembled, whole, [
      ...path,
      Array.isArray(wanted) ? Number(key) : key,
    ]),
  );
}

function deferred(seed: number, isAsync: boolean) {
  const world = randomWorld(seed, isAsync);
  const { schema, document } = world.makeArgs();
  const source = print(deferRandomly(seed, schema, document));
  const parsed = parse(source);
  return { source, makeArgs: () => ({ ...world.makeArgs(), document: parsed }) };
}

it.each([
  ['values', false],
  ['promises', true],
] as const)(
  'equals the whole result when resolvers return %s',
  async (_, isAsync) => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    let parts = 0;
    let failures = 0;
    for (const seed of SEEDS) {
      const { source, makeArgs } = deferred(seed, isAsync);
      const whole = await execute({ ...makeArgs(), onError: 'NULL' });

      for (let time = 0; time < 2; time++) {
        const result = await execute({ ...makeArgs(), onError: 'NULL', isIncremental: true });
        const assembled = await assemble(result);

        const hint = `seed ${seed}: ${source}`;
        expect(assembled.data, hint).toEqual(plain(whole.data));
        expect(messagesOf(assembled.errors), hint).toEqual(messagesOf(whole.errors));
        parts += assembled.payloads.length;
        failures += assembled.errors.length;
      }
    }
    await afterRejections();
    process.off('unhandledRejection', onUnhandled);

    expect(unhandled).toEqual([]);
    expect(failures).toBeGreaterThan(SEEDS.length / 10);
    if (isAsync) expect(parts).toBeGreaterThan(SEEDS.length / 4);
  },
  3_600_000,
);

/** Whether a value is there in a whole one, with fewer fields and shorter lists where more is still to come. */
const isPart = (value: any, whole: any): boolean =>
  typeof value === 'object' && value !== null
    ? Object.keys(value).every((key) => isPart(value[key], whole?.[key]))
    : Object.is(value, whole);

it('has every labelled fragment as one payload with all of its fields when fragments are delivered whole', async () => {
  let fragments = 0;
  for (const seed of SEEDS) {
    const { source, makeArgs } = deferred(seed, true);
    const hint = `seed ${seed}: ${source}`;
    const args = () => ({ ...makeArgs(), onError: 'NULL' as const, isIncremental: true });
    const { data } = await execute({ ...makeArgs(), onError: 'NULL' });
    const known = await assemble(await execute({ ...args(), fragmentDelivery: 'announced' }));

    const result = await execute({ ...args(), fragmentDelivery: 'whole' });

    const open = new Map(result.subsequent?.pending.map((one) => [one.id, one]));
    const labelled: string[] = [];
    let payload = await result.subsequent?.next();
    for (; payload; payload = await result.subsequent!.next()) {
      for (const one of payload.pending) open.set(one.id, one);
      for (const { id, subPath, data: fields } of payload.incremental) {
        if (!fields) continue;
        const { path, label } = open.get(id)!;
        expect(subPath, hint).toBe(undefined);
        expect(isPart(plain(fields), at(plain(data), path)), hint).toBe(true);
        labelled.push(...(label === undefined ? [] : [`${label} ${path.join('.')}`]));
      }
    }
    const wanted = known.pending.filter(
      ({ label, start }) => label !== undefined && start === undefined,
    );
    expect(labelled.sort(), hint).toEqual(
      wanted.map(({ label, path }) => `${label} ${path.join('.')}`).sort(),
    );
    fragments += labelled.length;
  }

  if (SEEDS.length >= 40) expect(fragments).toBeGreaterThan(0);
});

it('equals the whole result when failures propagate, except above a part that failed', async () => {
  let failures = 0;
  for (const seed of SEEDS) {
    const { source, makeArgs } = deferred(seed, true);
    const whole = await execute(makeArgs());

    const assembled = await assemble(await execute({ ...makeArgs(), isIncremental: true }));

    const wholeData = plain(whole.data);
    expect(differences(assembled, wholeData), `seed ${seed}: ${source}`).toEqual([]);
    failures += assembled.failed.length;
  }

  if (SEEDS.length >= 40) expect(failures).toBeGreaterThan(0);
});
