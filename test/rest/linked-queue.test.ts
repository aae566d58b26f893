import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { LinkedQueue, type Linked } from '../../src/rest/resilience/linked-queue.ts';

class Item implements Linked<Item> {
  previous: Item | undefined;
  next: Item | undefined;
  readonly load = new Array<number>(1_000).fill(0.5);
}

describe('a queue that items can leave from any place', () => {
  it('has what an array would have, whatever joins and leaves', () => {
    const queue = new LinkedQueue<Item>();
    let expected: Item[] = [];
    for (let i = 0; i < 2_000; i++) {
      const leaving = expected[(i * 7) % 13];
      if (i % 3 === 2 && leaving) {
        queue.delete(leaving);
        expected = expected.filter((item) => item !== leaving);
      } else {
        const item = new Item();
        queue.add(item);
        expected.push(item);
      }
      if (i % 97 === 0) expected.splice(0).forEach((item) => queue.delete(item));

      expect(queue.size).toBe(expected.length);
      expect(queue.first).toBe(expected[0]);
      if (i % 50 === 0) expect([...queue]).toEqual(expected);
    }
  });

  it('leaves nothing that has left it to the old generation', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
    const queue = new LinkedQueue<Item>();
    collect();
    const before = process.memoryUsage().heapUsed;

    // 160 MB in all, of which 160 kB are in the queue at once.
    const queued: Item[] = [];
    for (let i = 0; i < 20_000; i++) {
      const item = new Item();
      queue.add(item);
      queued.push(item);
      if (queued.length > 20) queue.delete(queued.shift()!);
    }
    collect({ type: 'minor' });
    collect({ type: 'minor' });

    // A Set keeps 5 to 14 MB of them until the next full collection.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000);
    expect(queue.size).toBe(20);
  });
});
