/** A long execution shares the event loop: it pauses when its time in a tick is over. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { buildSchema, parse, type ExecutionResult } from 'graphql';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { seeds } from '../support/cases.ts';
import { assemble, plain } from './incremental/assembled.ts';
import { deferRandomly } from './incremental/random-deferral.ts';
import { afterRejections, byGraphqlJs, executeWith, nulls, UNLIMITED, written } from './oracle.ts';
import { randomWorld } from './random-schema.ts';

/** Lists have fewer items, and results no more values: a few of them take long. */
const LONG = 14;
const MAX_VALUES = 30_000;
const SEEDS = seeds(80);

const schema = buildSchema(`
  type Item { number: Int!, one: Item }
  type Query { items: [Item!], needed: [Item!]! }
  type Mutation { items: [Item!], other: [Item!] }
`);

/** @param fails index of an item whose number is null. */
const itemsOf = (count: number, fails = -1): object[] =>
  Array.from({ length: count }, (_, i) => ({ number: i === fails ? null : i }));

const execute = executeWith();
const executeSome = executeWith({ limits: () => ({ ...UNLIMITED, maxValues: MAX_VALUES }) });

const ask = (source: string, rootValue: object) =>
  execute({ schema, document: parse(source), rootValue });

let nowMs = 0;
let stepMs = 0;

// At each look at the clock, the time of the tick is over.
beforeEach(() => {
  nowMs = performance.now();
  stepMs = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += stepMs));
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Ticks of the event loop before a result. */
async function ticksUntil(result: unknown): Promise<number> {
  let ticks = 0;
  let isOver = false;
  const count = (): void => {
    ticks += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await result;
  isOver = true;
  return ticks;
}

it('leaves ticks to other work during a long list', async () => {
  const result = ask('{ items { number } }', { items: itemsOf(10_000) });

  expect(await ticksUntil(result)).toBeGreaterThan(3);
  expect(await result).toEqual({ data: { items: itemsOf(10_000) } });
});

it.each([
  ['promised objects', '{ items { one { number } } }', false],
  ['streamed items', '{ items @stream(initialCount: 0) { number } }', true],
])('leaves ticks to other work between %s', async (_, source, isIncremental) => {
  let inThisTick = 0;
  let most = 0;
  const number = (): number => {
    most = Math.max(most, ++inThisTick);
    if (inThisTick === 1) setImmediate(() => (inThisTick = 0));
    return 1;
  };
  // Fulfilled at once, when the whole list waits for it.
  let fulfill = (_: object): void => {};
  const one = new Promise<object>((resolve) => (fulfill = resolve));
  const rootValue = { items: Array(5_000).fill({ number, one }) };

  const result = execute({ schema, document: parse(source), rootValue, isIncremental });
  await afterRejections();
  await afterRejections();
  fulfill({ number });
  await assemble(await result);

  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(4_000);
});

it('returns a long result at once if there is time', () => {
  stepMs = 0;

  const result = ask('{ items { number } }', { items: itemsOf(10_000) });

  expect(result).toEqual({ data: { items: itemsOf(10_000) } });
});

it('lets a short execution end while a long one is paused', async () => {
  const ended: string[] = [];
  const long = Promise.resolve(ask('{ items { number } }', { items: itemsOf(10_000) }));
  const short = Promise.resolve(ask('{ items { number } }', { items: async () => itemsOf(3) }));

  await Promise.all([long.then(() => ended.push('long')), short.then(() => ended.push('short'))]);

  expect(ended).toEqual(['short', 'long']);
});

it('nulls a list whose item fails after a pause', async () => {
  const items = itemsOf(5_000, 4_000);

  const { data, errors } = await ask('{ items { number } other: items { number } }', { items });

  expect(data).toEqual({ items: null, other: null });
  expect(errors!.map(({ path }) => path)).toEqual([
    ['items', 4_000, 'number'],
    ['other', 4_000, 'number'],
  ]);
});

it('nulls what is above a list that may not be null', async () => {
  const result = await ask('{ needed { number } items { number } }', {
    needed: itemsOf(5_000, 4_000),
    items: itemsOf(5_000),
  });

  expect(result).toMatchObject({ data: null, errors: [{ path: ['needed', 4_000, 'number'] }] });
});

it('omits the items of a list that was nulled during a pause', async () => {
  let numbered = 0;
  const number = (): number => ++numbered;
  const items = [Promise.reject(new Error('It broke.')), ...Array(5_000).fill({ number })];

  const result = await ask('{ items { number } }', { items });

  expect(result).toMatchObject({ data: { items: null }, errors: [{ path: ['items', 0] }] });
  expect(numbered).toBeLessThan(5_000);
});

it('begins a field of a mutation after all items of the one before', async () => {
  let numbered = 0;
  const items = Array.from({ length: 5_000 }, () => ({ number: () => ++numbered }));
  let numberedBefore = 0;
  const other = (): object[] => {
    numberedBefore = numbered;
    return [];
  };

  await ask('mutation { items { number } other { number } }', { items, other });

  expect(numberedBefore).toBe(5_000);
});

it('keeps the asynchronous context of each execution', async () => {
  const storage = new AsyncLocalStorage<string>();
  const found = new Set<string | undefined>();
  const run = (name: string) =>
    storage.run(name, () => {
      const number = (): number => {
        found.add(`${name} in ${storage.getStore()}`);
        return 1;
      };
      return ask('{ items { number } }', {
        items: Array.from({ length: 5_000 }, () => ({ number })),
      });
    });

  await Promise.all([run('a'), run('b')]);

  expect([...found]).toEqual(['a in a', 'b in b']);
});

it('ends at its deadline, also between ticks', async () => {
  const executeUntil = executeWith({
    limits: () => ({ ...UNLIMITED, deadlineMs: nowMs + 3.5 * stepMs }),
  });

  const result = await executeUntil({
    schema,
    document: parse('{ items { number } }'),
    rootValue: { items: itemsOf(50_000) },
  });

  expect(result).toMatchObject({ errors: [{ extensions: { code: 'REQUEST_TIMEOUT' } }] });
  expect(result).not.toHaveProperty('data');
});

it('ends when its client disconnects', async () => {
  let numbered = 0;
  const number = (): number => ++numbered;
  let isCancelled = false;
  const executeFor = executeWith({
    limits: () => ({ ...UNLIMITED, isCancelled: () => isCancelled }),
  });
  const document = parse('{ items { number } }');

  const result = executeFor({
    schema,
    document,
    rootValue: { items: Array(9_000).fill({ number }) },
  });
  isCancelled = true;

  expect(await result).toMatchObject({ errors: [{ message: 'The client disconnected.' }] });
  expect(numbered).toBeLessThan(5_000);
});

it.each([false, true])(
  'returns the result of graphql-js, whatever pauses (promises: %s)',
  async (isAsync) => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => unhandled.push(reason);
    let paused = 0;
    let errors = 0;
    for (const seed of SEEDS) {
      const { source, makeArgs } = randomWorld(seed, isAsync, 10, LONG);
      process.on('unhandledRejection', onUnhandled);

      const started = executeSome(makeArgs());
      const result = await started;

      await afterRejections();
      process.off('unhandledRejection', onUnhandled);
      if (result.data === undefined) continue;
      if (started instanceof Promise) paused += 1;
      const expected = await byGraphqlJs(makeArgs());
      const hint = `seed ${seed}: ${source}`;
      expect(dataOf(result), hint).toBe(dataOf(expected));
      expect(nulls(result), hint).toEqual(nulls(expected));
      errors += result.errors?.length ?? 0;
    }

    expect(unhandled).toEqual([]);
    if (SEEDS.length >= 80) expect(paused).toBeGreaterThan(4);
    if (SEEDS.length >= 80) expect(errors).toBeGreaterThan(100);
  },
  3_600_000,
);

it('assembles incremental results, whatever pauses', async () => {
  let paused = 0;
  for (const seed of SEEDS) {
    const { source, makeArgs } = randomWorld(seed, false, 10, LONG);
    const { schema: random, document } = makeArgs();
    const deferred = deferRandomly(seed, random, document);
    const args = () => ({ ...makeArgs(), document: deferred, onError: 'NULL' as const });
    const whole = await executeSome(args());
    if (whole.data === undefined) continue;

    const started = execute({ ...args(), isIncremental: true });
    const assembled = await assemble(await started);

    if (started instanceof Promise) paused += 1;
    expect(assembled.data, `seed ${seed}: ${source}`).toEqual(plain(whole.data));
  }

  if (SEEDS.length >= 80) expect(paused).toBeGreaterThan(4);
});

const dataOf = (result: ExecutionResult): unknown => (written(result) as { data: string }).data;
