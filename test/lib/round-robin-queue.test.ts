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

  it('checks only the first item of each subqueue, however many items wait in it', () => {
    const queue = new RoundRobinQueue<string>(10_000);
    for (let i = 0; i < 1_000; i++) queue.add('a', `blocked ${i}`, 'blocked');
    queue.add('a', 'free', 'free');
    const asked: string[] = [];

    const taken = queue.take((item) => {
      asked.push(item);
      return item === 'free';
    });

    expect(taken).toBe('free');
    expect(asked).toEqual(['blocked 0', 'free']);
    expect(queue.sizeOf('a')).toBe(1_000);
  });

  it('takes one item of each subqueue of a key in turn', () => {
    const queue = new RoundRobinQueue<string>(10);
    for (const item of ['x1', 'x2', 'x3', 'y1', 'y2']) queue.add('a', item, item[0]);

    expect(takeAllOf(queue)).toEqual(['x1', 'y1', 'x2', 'y2', 'x3']);
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

  it('deletes an item once, and its key with the last item', () => {
    const queue = queueOf(10, 'a1', 'b1', 'b2');

    expect(queue.delete('a', 'a1')).toBe(true);
    expect(queue.delete('a', 'a1')).toBe(false);
    expect(queue.delete('b', 'b1')).toBe(true);
    expect([queue.size, queue.sizeOf('a'), queue.sizeOf('b')]).toEqual([1, 0, 1]);
    expect(takeAllOf(queue)).toEqual(['b2']);
  });
});
