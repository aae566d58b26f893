/** Admission: the limits of operations in flight, and the order in which waiting ones begin. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Cancel } from '../../src/lib/cancel.ts';
import type { Operation } from '../../src/gateway/operation/operation.ts';
import { Admission, CallerLimits, type Permit } from '../../src/gateway/policies/admission.ts';
import { NewDocuments } from '../../src/gateway/policies/new-documents.ts';

/** The bytes of a response of this weight. */
const bytesOf = (weight: number): number => (weight - 1) * 200_000;

const one = (): number => 1;

const uncut = (): void => expect.unreachable();

/** A limiter with room for what the test says, when the test says. */
class StagedLimiter {
  readonly mayBegin: (key: string, begun: number) => boolean;
  #onRoom: (() => void) | undefined;

  constructor(mayBegin: (key: string, begun: number) => boolean) {
    this.mayBegin = mayBegin;
  }

  whenRoom(onRoom: () => void): void {
    this.#onRoom = onRoom;
  }

  /** Calls the listener once, as the limiter does. */
  giveRoom(): void {
    const onRoom = this.#onRoom;
    this.#onRoom = undefined;
    onRoom?.();
  }
}

/** An operation by its key and weight: `a` weighs one, `a5` weighs five. */
type Named = string;

/** Enters operations in this order; returns those that were admitted, in order of admission. */
function enterAll(admission: Admission, operations: readonly Named[]) {
  const admitted: { readonly name: Named; readonly permit: Permit }[] = [];
  for (const name of operations) {
    const entered = admission.enter(name[0]!, () => Number(name.slice(1)) || 1);
    if (entered instanceof Promise) {
      void entered.then((permit) => permit && admitted.push({ name, permit }));
    } else admitted.push({ name, permit: entered });
  }
  return admitted;
}

const names = (admitted: ReturnType<typeof enterAll>): Named[] => admitted.map(({ name }) => name);

/** Waits for the next turn of the event loop, in which waiting operations are admitted. */
async function settled(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

describe('admission', () => {
  it('admits operations immediately while capacity is available', () => {
    const admission = new Admission({ inFlight: 3, perKey: 2 });

    expect(names(enterAll(admission, ['a', 'a', 'b']))).toEqual(['a', 'a', 'b']);
    expect(admission.active).toBe(3);
  });

  it('queues operations of a key at its limit and admits other keys', () => {
    const admission = new Admission({ inFlight: 3, perKey: 2 });

    expect(names(enterAll(admission, ['a', 'a', 'a', 'b']))).toEqual(['a', 'a', 'b']);
    expect(admission.waiting).toBe(1);
  });

  it('admits queued keys round-robin, regardless of queue length', async () => {
    const admission = new Admission({ inFlight: 1, perKey: 1 });
    const admitted = enterAll(admission, ['a', 'a', 'a', 'a', 'b', 'c']);

    for (let i = 0; i < 5; i++) {
      admitted[i]!.permit.release();
      await settled();
    }

    expect(names(admitted)).toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
    expect(admission.waiting).toBe(0);
  });

  it('admits a queued operation only in a later tick of the event loop', async () => {
    const admission = new Admission({ inFlight: 1 });
    const admitted = enterAll(admission, ['a', 'a']);

    admitted[0]!.permit.release();
    await Promise.resolve();

    expect(names(admitted)).toEqual(['a']);
    await settled();
    expect(names(admitted)).toEqual(['a', 'a']);
  });

  it('rejects the newest operation of the key with the longest queue when the queue is full', async () => {
    const admission = new Admission({ inFlight: 1, waiting: 2 });
    const [first] = enterAll(admission, ['a']);
    const [second, third] = [admission.enter('a', one), admission.enter('a', one)];

    expect(await admission.enter('a', one)).toBeUndefined();
    void admission.enter('b', one);
    expect(await third).toBeUndefined();

    first!.permit.release();
    expect(await second).toBeDefined();
    expect(admission.waiting).toBe(1);
  });

  it('limits a key by the total weight of its operations, not by their number', () => {
    const admission = new Admission({ inFlight: 100, perKey: 10 });

    expect(names(enterAll(admission, ['a4', 'a4', 'a4', 'a', 'b', 'b9', 'b']))).toEqual([
      ...['a4', 'a4'],
      ...['b', 'b9'],
    ]);
  });

  it('admits an operation heavier than its key’s limit once its key has no other in flight', async () => {
    const admission = new Admission({ inFlight: 100, perKey: 10 });
    const admitted = enterAll(admission, ['a', 'a50', 'a', 'b']);

    expect(names(admitted)).toEqual(['a', 'b']);
    admitted[0]!.permit.release();
    await settled();
    expect(names(admitted)).toEqual(['a', 'b', 'a50']);
    admitted[2]!.permit.release();
    await settled();
    expect(names(admitted)).toEqual(['a', 'b', 'a50', 'a']);
  });

  it('queues operations whose calls would wait for connections, and no others', async () => {
    let isFree = false;
    const limiter = new StagedLimiter((key) => isFree || key === 'b');
    const admission = new Admission({ limiter });
    const permits = ['a', 'b'].map((key) => admission.enter(key, one, one));
    expect(permits.map((permit) => permit instanceof Promise)).toEqual([true, false]);
    expect(admission.enter('c', one)).not.toBeInstanceOf(Promise);

    isFree = true;
    limiter.giveRoom();

    expect(await permits[0]).toBeDefined();
    expect(admission.waiting).toBe(0);
  });

  it('admits as many queued operations in one tick as connections can carry their calls', () => {
    let free = 0;
    const limiter = new StagedLimiter((_key, begun) => begun < free);
    const admission = new Admission({ limiter });
    for (const key of ['a', 'b', 'c', 'd']) void admission.enter(key, one, () => 3);

    free = 4;
    limiter.giveRoom();
    expect(admission.waiting).toBe(2);
    limiter.giveRoom();

    expect(admission.waiting).toBe(0);
  });

  it('admits queued operations without calls, such as those of callers who have left, at any time', () => {
    let calls = 3;
    const limiter = new StagedLimiter(() => false);
    const admission = new Admission({ limiter });
    for (const key of ['a', 'b', 'c']) void admission.enter(key, one, () => calls);
    expect(admission.waiting).toBe(3);

    calls = 0;
    limiter.giveRoom();

    expect(admission.waiting).toBe(0);
  });

  it('expects no calls of an operation whose caller has left', async () => {
    const limiter = new StagedLimiter(() => false);
    const upstream = { isAccepted: () => true, limiter };
    const budget = { calls: 250, values: 100_000 };
    const limits = new CallerLimits({
      upstream,
      budget,
      documents: { isKnown: () => true },
      trusted: undefined,
    });
    const cancel = new Cancel();
    const weighed = { weight: 1, calls: 3, bytes: { bytes: 0 } };
    const entered = limits.enter({
      callerKey: 'a',
      cancel,
      weighed,
    } as unknown as Operation);
    expect(entered).toBeInstanceOf(Promise);

    cancel.cancel();
    limiter.giveRoom();

    expect(await entered).toBeDefined();
  });

  it('does not let a light operation overtake a heavy one that is next in the queue', async () => {
    const admission = new Admission({ inFlight: 10, perKey: 8 });
    const admitted = enterAll(admission, ['a8', 'b2', 'c5', 'd', 'b']);

    expect(names(admitted)).toEqual(['a8', 'b2']);
    admitted[1]!.permit.release();
    await settled();
    expect(names(admitted), 'two are free, and the first needs five').toEqual(['a8', 'b2']);
    expect(enterAll(admission, ['e'])).toEqual([]);

    admitted[0]!.permit.release();
    await settled();
    expect(names(admitted)).toEqual(['a8', 'b2', 'c5', 'd', 'b']);
  });

  it('counts the weight of an unsent response against its key, but not against the total', async () => {
    const admission = new Admission({ inFlight: 10, perKey: 10 });
    const admitted = enterAll(admission, ['a8', 'a4', 'b4']);

    admitted[0]!.permit.holdResponse(bytesOf(10), uncut);
    await settled();
    expect(names(admitted)).toEqual(['a8', 'b4']);
    expect(admission.active).toBe(4);

    admitted[0]!.permit.holdResponse(bytesOf(2), uncut);
    await settled();
    expect(names(admitted)).toEqual(['a8', 'b4', 'a4']);
    expect(admission.active).toBe(8);
  });

  it('drops the oldest unsent response of the key with the most bytes when the total limit is exceeded', () => {
    const admission = new Admission({ inFlight: 5, perKey: 4 });
    const [a, b, c, d] = enterAll(admission, ['a', 'a', 'b', 'c']).map(({ permit }) => permit);
    const cut: string[] = [];

    a!.holdResponse(400_000, () => cut.push('a1'));
    b!.holdResponse(100_000, () => cut.push('a2'));
    c!.holdResponse(300_000, () => cut.push('b'));
    expect(cut).toEqual([]);
    expect(d!.receive(200_001)).toBeUndefined();

    expect(cut).toEqual(['a1']);
    expect(d!.receive(400_000)).toBeUndefined();
    expect(cut).toEqual(['a1', 'b']);
  });

  it('rejects bytes above the share of a key, permanently if a single operation exceeds it', async () => {
    const admission = new Admission({ inFlight: 50, perKey: 5 });
    const [a, b, other] = enterAll(admission, ['a', 'a', 'b']).map(({ permit }) => permit);

    expect([a!.receive(600_000), b!.receive(400_000), b!.receive(1)]).toEqual([
      ...[undefined, undefined, 'overloaded'],
    ]);
    expect(a!.receive(400_001)).toBe('budget');
    expect(other!.receive(1_000_000)).toBeUndefined();

    a!.release();
    expect(b!.receive(600_000)).toBeUndefined();
  });

  it('releases an operation only once and counts no weight for it afterwards', () => {
    const admission = new Admission();
    const [{ permit } = { permit: undefined! }] = enterAll(admission, ['a5']);

    permit.release();
    permit.holdResponse(bytesOf(7), uncut);
    permit.release();

    expect(admission.active).toBe(0);
  });
});

describe('new documents', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** A clock that advances at each reading, so that each document takes long. */
  const slow = (): (() => number) => {
    let nowMs = 0;
    return () => (nowMs += 10);
  };

  /** Passes the rests of keys after a document, and gives the next one its turn. */
  async function nextDocument(): Promise<void> {
    await nextTurn();
    vi.advanceTimersByTime(1_000);
    await nextTurn();
  }

  /** Requests admission in this order; returns the keys that had theirs, in order of the turns. */
  function turns(
    documents: NewDocuments,
    keys: readonly string[],
    isKnown = () => false,
    length = 1,
  ) {
    const had: string[] = [];
    for (const key of keys) {
      const turn = documents.turn(key, { length, isKnown });
      if (turn) void turn.then((hasTurn) => had.push(hasTurn ? key : `${key} refused`));
      else had.push(key);
    }
    return had;
  }

  it('are processed one per tick when each is slow, with keys in round-robin order', async () => {
    const documents = new NewDocuments({ now: slow() });
    const had = turns(documents, ['a', 'b', 'b', 'c', 'a']);

    const seen: string[] = [];
    for (let i = 0; i < 3; i++) {
      seen.push(had.join(''));
      await nextTurn();
    }
    expect(seen).toEqual(['a', 'ab', 'abc']);

    vi.advanceTimersByTime(1_000);
    for (let i = 0; i < 2; i++) await nextTurn();
    expect([...had].sort().join('')).toBe('aabbc');
    expect(documents.waiting).toBe(0);
  });

  it('delay only their own key, for as long as its last document took', async () => {
    let nowMs = 0;
    const documents = new NewDocuments({ now: () => nowMs });
    const had: string[] = [];
    const ask = (key: string, ms: number): void => {
      const work = () => {
        had.push(key);
        nowMs += ms;
      };
      const turn = documents.turn(key, { length: 1, isKnown: () => false });
      if (turn) void turn.then(work);
      else work();
    };

    for (const key of ['dear', 'dear']) ask(key, 15);
    for (const key of ['b', 'c', 'd']) ask(key, 1);
    for (let i = 0; i < 3; i++) await nextTurn();
    vi.advanceTimersByTime(14);
    await nextTurn();
    expect(had).toEqual(['dear', 'b', 'c', 'd']);

    vi.advanceTimersByTime(1);
    await nextTurn();
    expect(had).toEqual(['dear', 'b', 'c', 'd', 'dear']);
  });

  it('share a tick of the event loop for up to two milliseconds', async () => {
    let nowMs = 0;
    const documents = new NewDocuments({ now: () => nowMs });
    const had: string[] = [];
    const begin = (key: string): void => {
      const work = () => {
        had.push(key);
        nowMs += 1;
      };
      const turn = documents.turn(key, { length: 1, isKnown: () => false });
      if (turn) void turn.then(work);
      else work();
    };

    for (const key of ['a', 'a', 'a', 'a', 'a', 'a']) begin(key);
    expect(had).toHaveLength(2);

    const steps: number[] = [];
    while (documents.waiting > 0) {
      await nextTurn();
      steps.push(had.length);
    }
    expect(steps.filter((length, i) => length !== steps[i - 1])).toEqual([4, 6]);
  });

  it('leave the queue once another operation has made them known', async () => {
    const documents = new NewDocuments({ now: slow() });
    let isKnown = false;
    const had = turns(documents, ['a', 'a', 'a', 'b'], () => isKnown);

    isKnown = true;
    await nextDocument();

    expect(had).toEqual(['a', 'b', 'a', 'a']);
    expect(documents.waiting).toBe(0);
  });

  it('are rejected when the queue is full, starting with the newest of the key with the longest queue', async () => {
    const documents = new NewDocuments({ waiting: 2, now: slow() });
    const had = turns(documents, ['a', 'a', 'a', 'a', 'b']);

    await nextDocument();
    await nextDocument();

    expect(had).toEqual(['a', 'a refused', 'a refused', 'b', 'a']);
  });

  it('are rejected in the same order when queued documents exceed eight million characters', async () => {
    const documents = new NewDocuments({ now: slow() });
    const had = turns(documents, ['a', 'a', 'a', 'b', 'b'], undefined, 3_000_000);

    await nextDocument();
    await nextDocument();

    expect(had).toEqual(['a', 'a refused', 'b refused', 'b', 'a']);
    expect(turns(documents, ['a', 'a'], undefined, 8_000_001)).toEqual(['a']);
    await nextDocument();
  });

  it('wait while operations of their key are queued for admission', async () => {
    const full = new Set(['a']);
    const documents = new NewDocuments({ mayHave: (key) => !full.has(key), now: slow() });
    const had = turns(documents, ['a', 'b', 'a', 'b']);

    await nextDocument();
    await nextDocument();
    expect(had).toEqual(['b', 'b']);
    expect(documents.waiting).toBe(2);

    full.clear();
    documents.wake();
    await nextDocument();
    await nextDocument();
    expect(had).toEqual(['b', 'b', 'a', 'a']);
  });
});
