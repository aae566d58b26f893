/** Whose work is next: tasks take staged time, turns of the event loop are real. */
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { noteAccepted } from '../../src/lib/turns/accept-first.ts';
import { endOfTurn } from '../../src/lib/turns/end-of-turn.ts';
import { FairQueue, QueueFullError } from '../../src/server/operation/fair-queue.ts';
import { createRecord } from '../../src/server/operation/request-record.ts';
import { stageTime } from '../support/staged-time.ts';
import { openSite, POST_JSON, shareBackend } from './support.ts';

let time: ReturnType<typeof stageTime>;
let ran: string[];

/** Time passes by tasks, and by waiting for it. */
function stage(): void {
  time = stageTime();
  ran = [];
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) =>
    setImmediate(() => {
      time.nowMs += ms;
      run();
    })) as unknown as typeof setTimeout);
}

/** A task that takes so long. */
const task =
  (name: string, ms: number): (() => string) =>
  () => {
    time.nowMs += ms;
    ran.push(name);
    return name;
  };

const many = (queue: FairQueue, key: string, count: number, ms: number) =>
  Array.from({ length: count }, async (_, i) => queue.run(key, task(`${key}${i}`, ms)));

describe('the fair queue', () => {
  beforeEach(stage);

  it('runs a task at once while none waits, and hands on what it answers or throws', () => {
    const queue = new FairQueue();
    const failing = (): never => {
      throw new TypeError('mine');
    };

    expect(queue.run('a', task('x', 1))).toBe('x');
    expect(() => queue.run('a', failing)).toThrow('mine');
  });

  it('leaves the turn in which a connection was accepted, and the next one, to further connections', async () => {
    const queue = new FairQueue();

    noteAccepted();
    const done = queue.run('a', task('x', 1));
    const atOnce = [...ran];
    await turn();
    const after = [...ran];
    await done;

    expect([atOnce, after, ran]).toEqual([[], [], ['x']]);
  });

  it('lets the event loop go on once a turn has worked for its time', async () => {
    const queue = new FairQueue();

    const all = many(queue, 'a', 30, 2);
    const turns: number[] = [];
    while (ran.length < 30) {
      turns.push(ran.length);
      await turn();
    }

    // Three tasks of two milliseconds fill a turn of five.
    expect(turns).toEqual(Array.from({ length: 10 }, (_, i) => 3 * (i + 1)).slice(0, turns.length));
    expect(await Promise.all(all)).toEqual(ran);
  });

  it('serves a key with little work before one with much, whichever came first', async () => {
    const queue = new FairQueue();

    const dear = many(queue, 'dear', 20, 8);
    const cheap = many(queue, 'cheap', 20, 0.5);
    await Promise.all(cheap);

    // The first ran at once; then the keys use the same time.
    expect(ran.filter((name) => name.startsWith('dear')).length).toBeLessThanOrEqual(4);
    await Promise.all(dear);
  });

  it('lets a key wait for itself alone, however much it has sent', async () => {
    const queue = new FairQueue();
    const sent = many(queue, 'a', 200, 4);

    await turn();
    const before = ran.length;
    await queue.run('b', task('b', 1));

    expect(ran.length - before).toBeLessThanOrEqual(4);
    await Promise.all(sent);
  });

  it('counts what was done for a key elsewhere', async () => {
    const queue = new FairQueue();
    const a = many(queue, 'a', 10, 3);
    const b = many(queue, 'b', 10, 3);

    queue.charge('a', 1_000);
    await Promise.all(b);

    expect(ran.filter((name) => name.startsWith('a')).length).toBeLessThanOrEqual(2);
    await Promise.all(a);
  });

  it('rejects what a waiting task throws, and goes on', async () => {
    const queue = new FairQueue();
    void queue.run('a', task('first', 10));

    const failed = queue.run('a', () => {
      throw new TypeError('mine');
    });
    const next = queue.run('a', task('next', 1));

    await expect(failed).rejects.toThrow('mine');
    expect(await next).toBe('next');
  });

  it('refuses a key that fills half of it, and has room for others', async () => {
    const queue = new FairQueue();
    const sent: unknown[] = [];
    const fill = (key: string) => {
      for (;;) sent.push(queue.run(key, task(key, 1)));
    };

    expect(() => fill('a')).toThrow(QueueFullError);
    const ofOne = sent.length;
    expect(() => fill('b')).toThrow(QueueFullError);

    expect(ofOne).toBeGreaterThan(500);
    expect(ofOne).toBeLessThan(530);
    expect(sent.length - ofOne).toBeGreaterThan(200);
    await Promise.all(sent);
  });

  it('remembers what a key has used: one that asks seldom comes before it', async () => {
    const queue = new FairQueue();
    void queue.run('victim', task('v', 1));
    void queue.run('attacker', task('a', 40));
    await turn();

    await Promise.all([...many(queue, 'attacker', 1, 4), ...many(queue, 'victim', 1, 1)]);

    expect(ran).toEqual(['v', 'a', 'victim0', 'attacker0']);
  });

  it('lets a key without others work on, whatever it has used', async () => {
    const queue = new FairQueue();
    void queue.run('only', task('w', 1));
    time.nowMs += 1_000;
    queue.charge('only', 40);
    await turn();

    expect(queue.run('only', task('x', 1))).toBe('x');
  });

  it('serves keys that owe much for a part of a turn, then lets pass what they overran', async () => {
    const queue = new FairQueue();
    void queue.run('victim', task('v', 1));
    void queue.run('attacker', task('a', 40));
    const owed = many(queue, 'attacker', 3, 10);

    const startMs = time.nowMs;
    await Promise.all(owed);

    // Twice 9 ms lie between one task of 10 ms and the next.
    expect(time.nowMs - startMs).toBeGreaterThanOrEqual(3 * 10 + 2 * 18);
    expect(time.nowMs - startMs).toBeLessThan(90);
  });

  it('serves another key at once while those that owe much wait', async () => {
    const queue = new FairQueue();
    void queue.run('victim', task('v', 1));
    void queue.run('attacker', task('a', 40));
    const owed = many(queue, 'attacker', 20, 10);
    await turn();
    const before = ran.length;

    await queue.run('victim', task('w', 1));

    expect(ran.slice(before).indexOf('w')).toBeLessThanOrEqual(1);
    await Promise.all(owed);
  });

  it('sends what a turn has answered before it serves what waits', async () => {
    const queue = new FairQueue();
    void queue.run('a', task('first', 10));
    const waits = queue.run('a', task('second', 10));
    void endOfTurn().then(() => ran.push('sent'));

    await waits;

    expect(ran).toEqual(['first', 'sent', 'second']);
  });
});

describe('requests that are refused at once', () => {
  shareBackend();

  it('pay for being read and answered, and leave turns to others', async () => {
    const { gateway } = await openSite();
    const post = { method: 'POST', url: '/graphql', headers: POST_JSON, body: '{' };
    stage();

    let answered = 0;
    const all = Array.from({ length: 500 }, async () => {
      expect((await gateway.answerPlain!(post, createRecord(null)))?.status).toBe(400);
      answered += 1;
    });
    await turn();
    const inOneTurn = answered;
    await Promise.all(all);

    expect(inOneTurn).toBeLessThan(250);
    expect(answered).toBe(500);
  });
});
