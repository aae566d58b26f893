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
  it('takes one item of each key in turn, in the order in which the keys came', () => {
    const queue = queueOf(10, 'a1', 'a2', 'a3', 'b1', 'c1', 'b2');

    expect(takeAllOf(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(queue.size).toBe(0);
  });

  it('skips keys whose first item is not accepted', () => {
    const queue = queueOf(10, 'a1', 'a2', 'b1', 'b2');

    expect(queue.take((_item, key) => key === 'b')).toBe('b1');
    expect(queue.take(() => false)).toBeUndefined();
    expect(takeAllOf(queue)).toEqual(['a1', 'b2', 'a2']);
  });

  it('rejects an item of the key with the most items when it is full', () => {
    const queue = queueOf(3, 'a1', 'a2', 'b1');

    expect(queue.add('a', 'a3')).toBe('a3');
    expect(takeAllOf(queue)).toEqual(['a1', 'b1', 'a2']);
  });

  it('drops the latest item of the key with most items for one of a key with fewer', () => {
    const queue = queueOf(4, 'a1', 'a2', 'a3', 'b1');

    expect(queue.add('c', 'c1')).toBe('a3');
    expect(queue.size).toBe(4);
    expect(takeAllOf(queue)).toEqual(['a1', 'b1', 'c1', 'a2']);
  });
});
