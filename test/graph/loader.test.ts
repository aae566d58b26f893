/**
 * Loaders: keys that are asked for together, each with a call of its own.
 */
import { expect, it } from 'vitest';
import { Loader } from '../../src/graph/entity/loader.ts';

const never = new Promise<string>(() => {});

it('answers a key as soon as its own call is, however slow those asked for beside it are', async () => {
  const loader = new Loader<string, string>(
    (key) => key,
    (key) => (key === 'slow' ? never : Promise.resolve(`${key} is here`)),
  );

  void loader.load('slow');

  await expect(loader.load('quick')).resolves.toBe('quick is here');
});

it('fails a key alone, for all loads of it', async () => {
  const loader = new Loader<string, string>(
    (key) => key,
    (key) => (key === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve(key)),
  );

  const asked = ['bad', 'good', 'bad'].map((key) => loader.load(key));

  await expect(Promise.allSettled(asked)).resolves.toMatchObject([
    { reason: new Error('no') },
    { value: 'good' },
    { reason: new Error('no') },
  ]);
});

it('keeps what another call brought for a key that is given up', async () => {
  const brought: (readonly unknown[])[] = [];
  let calls = 0;
  const loader = new Loader<string, string>(
    (key) => key,
    () => {
      calls++;
      return never;
    },
    { brought, keyOf: String, onHit: () => {} },
  );
  const abandon = loader.start('a');
  await new Promise(setImmediate);

  brought.push(['a']);
  abandon();

  await expect(loader.load('a')).resolves.toBe('a');
  expect(calls).toBe(1);
});
