import { describe, expect, it } from 'vitest';
import { RoundRobinQueue } from '../../src/lib/round-robin-queue.ts';

/** Items are named after their keys: `a1` is the first of `a`. */
function queueOf(maxSize: number, ...items: readonly string[]): RoundRobinQueue<string> {
  const queue = new RoundRobinQueue<string>(maxSize);
  for (const item of items) queue.add(item[0]!, item);
  return queue;
}

function takeAllOf(queue: RoundRobinQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(() => true); item; item = queue.take(() => true)) taken.push(item);
  return taken;
}

describe('RoundRobinQueue', () => {
  it('lets keys take turns of one item each, in the order they came', () => {
    const queue = queueOf(10, 'a1', 'a2', 'a3', 'b1', 'c1', 'b2');

    expect(takeAllOf(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(queue.size).toBe(0);
  });

  it('passes over items that may not begin, and keys without any that may', () => {
    const queue = queueOf(10, 'a1', 'a2', 'b1', 'b2');

    expect(queue.take((item, key) => key === 'b' && item !== 'b1')).toBe('b2');
    expect(queue.take(() => false)).toBeUndefined();
    expect(takeAllOf(queue)).toEqual(['a1', 'b1', 'a2']);
  });

  it('refuses an item of the key that has most when it is full', () => {
    const queue = queueOf(3, 'a1', 'a2', 'b1');

    expect(queue.isFullFor('a')).toBe(true);
    expect(queue.add('a', 'a3')).toBe('a3');
    expect(takeAllOf(queue)).toEqual(['a1', 'b1', 'a2']);
  });

  it('drops the latest item of the key that has most for one of a key that has fewer', () => {
    const queue = queueOf(4, 'a1', 'a2', 'a3', 'b1');

    expect(queue.isFullFor('c')).toBe(false);
    expect(queue.add('c', 'c1')).toBe('a3');
    expect(queue.size).toBe(4);
    expect(takeAllOf(queue)).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('forgets items that have left, and keys with them', () => {
    const queue = queueOf(10, 'a1', 'b1', 'b2');

    expect(queue.delete('a', 'a1')).toBe(true);
    expect(queue.delete('a', 'a1')).toBe(false);
    expect(queue.delete('b', 'b1')).toBe(true);
    expect([queue.size, queue.sizeOf('a'), queue.sizeOf('b')]).toEqual([1, 0, 1]);
    expect(takeAllOf(queue)).toEqual(['b2']);
  });
});
