/**
 * Loaders: DataLoader, with calls that are started ahead and abandoned, and values that other calls returned.
 */
import DataLoader from 'dataloader';
import { expect, it } from 'vitest';
import { Loader } from '../../src/graph/loading/loader.ts';
import { planningContext } from '../../src/plan/cost.ts';
import { pageEntity } from '../../src/resources/page/page.type.ts';

interface Named {
  readonly name: string;
}

const never = new Promise<string>(() => {});

/** A loader, and the names that were called for. */
function open(read: (name: string) => Promise<string> = (name) => Promise.resolve(name)) {
  const calls: string[] = [];
  const primed: unknown[] = [];
  const loader = new Loader<Named, string>(
    ({ name }) => {
      calls.push(name);
      return read(name);
    },
    { onPrimed: (origin) => primed.push(origin) },
  );
  return { loader, calls, primed };
}

it('is a DataLoader to those who know one', async () => {
  const { loader, calls } = open();

  expect(loader).toBeInstanceOf(DataLoader);
  await expect(loader.loadMany([{ name: 'a' }, { name: 'b' }])).resolves.toEqual(['a', 'b']);
  await loader.clear({ name: 'a' }).load({ name: 'a' });
  await loader.load({ name: 'b' });
  expect(calls).toEqual(['a', 'b', 'a']);
});

it('answers a key as soon as its own call is, however slow those asked for beside it are', async () => {
  const { loader } = open((name) => (name === 'slow' ? never : Promise.resolve(`${name} is here`)));

  void loader.load({ name: 'slow' });

  await expect(loader.load({ name: 'quick' })).resolves.toBe('quick is here');
});

it('fails a key alone, for all loads of it', async () => {
  const { loader } = open((name) =>
    name === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve(name),
  );

  const asked = ['bad', 'good', 'bad'].map((name) => loader.load({ name }));

  await expect(Promise.allSettled(asked)).resolves.toMatchObject([
    { reason: new Error('no') },
    { value: 'good' },
    { reason: new Error('no') },
  ]);
});

it('begins the calls of a tick together, after what its promises ask for', async () => {
  const { loader, calls } = open();
  const seen: number[] = [];

  void loader.load({ name: 'a' });
  void Promise.resolve().then(() => {
    seen.push(calls.length);
    void loader.load({ name: 'b' });
  });
  await loader.load({ name: 'a' });

  expect(seen).toEqual([0]);
  expect(calls).toEqual(['a', 'b']);
});

it('makes no call for what was primed, and says who was answered so', async () => {
  const { loader, calls, primed } = open();

  loader.prime({ name: 'a' }, 'brought');
  loader.prime({ name: 'a' }, 'brought again');

  await expect(loader.load({ name: 'a' }, 'field')).resolves.toBe('brought');
  expect([calls, primed]).toEqual([[], ['field']]);
});

it('forgets a call that was started ahead and abandoned, even in the same tick', async () => {
  const cancelled: (boolean | undefined)[] = [];
  const loader = new Loader<Named, string>((_key, { cancel }) => {
    cancelled.push(cancel?.cancelled);
    return Promise.resolve('here');
  });

  loader.start({ name: 'a' })();
  await expect(loader.load({ name: 'a' })).resolves.toBe('here');

  expect(cancelled).toEqual([true, undefined]);
});

it('keeps a call that was begun ahead once it is loaded', async () => {
  const { loader, calls } = open();
  const abandon = loader.start({ name: 'a' });

  const loaded = loader.load({ name: 'a' });
  abandon();

  await expect(loaded).resolves.toBe('a');
  await loader.load({ name: 'a' });
  expect(calls).toEqual(['a']);
});

it('keeps what another call returned for a key that is abandoned', async () => {
  const context = planningContext('extended');
  const page = { pageId: 'a' };
  const abandon = pageEntity.loader(context).start(page);

  pageEntity.prime(context, [page]);
  abandon();

  await expect(pageEntity.loader(context).load(page)).resolves.toBe(page);
});
