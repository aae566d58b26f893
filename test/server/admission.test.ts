/** How many operations may be under way, and in which order those that wait begin. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Admission } from '../../src/server/policies/admission.ts';

/** Enters for keys in this order; answers the keys that were admitted, in the order in which they were. */
function enterAll(admission: Admission, keys: readonly string[]): string[] {
  const admitted: string[] = [];
  for (const key of keys) {
    const waiting = admission.enter(key);
    if (waiting) void waiting.then((isAdmitted) => isAdmitted && admitted.push(key));
    else admitted.push(key);
  }
  return admitted;
}

describe('admission', () => {
  it('lets operations begin at once while there is room', () => {
    const admission = new Admission({ underWay: 3, perKey: 2 });

    expect(enterAll(admission, ['a', 'a', 'b'])).toEqual(['a', 'a', 'b']);
    expect(admission.active).toBe(3);
  });

  it('lets a key with all it may have under way wait, and others begin', () => {
    const admission = new Admission({ underWay: 3, perKey: 2 });

    expect(enterAll(admission, ['a', 'a', 'a', 'b'])).toEqual(['a', 'a', 'b']);
    expect(admission.waiting).toBe(1);
  });

  it('takes waiting keys in turn, however many operations one of them has', async () => {
    const admission = new Admission({ underWay: 1, perKey: 1 });
    const admitted = enterAll(admission, ['a', 'a', 'a', 'a', 'b', 'c']);

    for (const [i] of 'xxxxx'.split('').entries()) {
      admission.leave(admitted[i]!);
      await nextTurn();
      await nextTurn();
    }

    expect(admitted).toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
    expect(admission.waiting).toBe(0);
  });

  it('reads what has arrived before operations that waited begin', async () => {
    const admission = new Admission({ underWay: 1 });
    const admitted = enterAll(admission, ['a', 'a']);

    admission.leave('a');
    await Promise.resolve();

    expect(admitted).toEqual(['a']);
    await nextTurn();
    await nextTurn();
    expect(admitted).toEqual(['a', 'a']);
  });

  it('refuses the latest of the key that has most when too many wait', async () => {
    const admission = new Admission({ underWay: 1, waiting: 2 });
    enterAll(admission, ['a']);
    const [first, second] = [admission.enter('a'), admission.enter('a')];

    const third = admission.enter('a');
    expect(await third).toBe(false);
    void admission.enter('b');
    expect(await second).toBe(false);

    admission.leave('a');
    expect(await first).toBe(true);
    expect(admission.waiting).toBe(1);
  });
});
