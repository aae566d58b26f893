/** Loaders: DataLoader with calls that start ahead and can be abandoned, and with values primed by other calls. */
import { expect, it } from 'vitest';
import { Loader } from '../../src/graph/loading/loader.ts';
import { planningContext } from '../../src/plan/cost.ts';
import { pageEntity } from '../../src/resources/page.ts';

interface Named {
  readonly name: string;
}

const never = new Promise<string>(() => {});

/** A loader, the names that it loaded, and the origins of loads that primed values resolved. */
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

it('resolves a key as soon as its own call ends, while another call is pending', async () => {
  const { loader } = open((name) => (name === 'slow' ? never : Promise.resolve(`${name} is here`)));

  void loader.load({ name: 'slow' });

  await expect(loader.load({ name: 'quick' })).resolves.toBe('quick is here');
});

it('rejects all loads of a failed key and no others', async () => {
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

it('starts the calls of a tick together, after the promise jobs of the tick', async () => {
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

it('resolves a primed key with its first value and without a call, and reports the origin of the load', async () => {
  const { loader, calls, primed } = open();

  loader.prime({ name: 'a' }, 'first value');
  loader.prime({ name: 'a' }, 'second value');

  await expect(loader.load({ name: 'a' }, 'field')).resolves.toBe('first value');
  expect([calls, primed]).toEqual([[], ['field']]);
});

it('makes a new call for a key whose prefetch was abandoned in the same tick', async () => {
  const cancelled: (boolean | undefined)[] = [];
  const loader = new Loader<Named, string>((_key, { cancel }) => {
    cancelled.push(cancel?.cancelled);
    return Promise.resolve('here');
  });

  loader.start({ name: 'a' })();
  await expect(loader.load({ name: 'a' })).resolves.toBe('here');

  expect(cancelled).toEqual([true, undefined]);
});

it('keeps a prefetch when the key is loaded before the prefetch is abandoned', async () => {
  const { loader, calls } = open();
  const abandon = loader.start({ name: 'a' });

  const loaded = loader.load({ name: 'a' });
  abandon();

  await expect(loaded).resolves.toBe('a');
  await loader.load({ name: 'a' });
  expect(calls).toEqual(['a']);
});

it('keeps a primed value for a key whose call is abandoned', async () => {
  const context = planningContext('extended');
  const page = { pageId: 'a' };
  const abandon = pageEntity.loader(context).start(page);

  pageEntity.prime(context, [page]);
  abandon();

  await expect(pageEntity.loader(context).load(page)).resolves.toBe(page);
});
