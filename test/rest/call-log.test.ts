import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Cancel } from '../../src/lib/cancel.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import { CallLog } from '../../src/rest/call/call-log.ts';
import { routes } from '../../src/v0/routes.ts';
import { countCalls } from '../support/count-calls.ts';
import { silence, status } from '../support/faults.ts';
import { fakeTime } from '../support/fake-clock.ts';
import { openRest, outcome } from './open-rest.ts';

const route = { method: 'GET', path: '/v0/topics' };

/** A call log of calls with the given starts and ends, in milliseconds. */
function callLogOf(calls: readonly (readonly [start: number, end: number])[]): CallLog {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const callLog = new CallLog();
  const events = calls.flatMap(([start, end], i) => [
    { at: start, order: 1, i },
    { at: end, order: start === end ? 2 : 0, i },
  ]);
  const entries = new Map<number, ReturnType<CallLog['begin']>>();
  for (const { at, order, i } of events.sort((a, b) => a.at - b.at || a.order - b.order)) {
    now = at;
    if (order === 1) entries.set(i, callLog.begin(route, null, 'sent', 1));
    else callLog.end(entries.get(i)!, 200);
  }
  clock.mockRestore();
  return callLog;
}

describe('the call log', () => {
  it.each([
    ['no calls', [], 0, 0],
    ['one call', [[0, 10]], 1, 10],
    [
      'calls at the same time',
      [
        [0, 10],
        [0, 12],
        [1, 5],
      ],
      1,
      12,
    ],
    [
      'calls one after the other',
      [
        [0, 10],
        [10, 20],
        [25, 30],
      ],
      3,
      25,
    ],
    [
      'one call followed by three',
      [
        [0, 10],
        [11, 20],
        [11, 30],
        [12, 15],
      ],
      2,
      29,
    ],
    [
      'a call that overlaps a chain',
      [
        [0, 100],
        [0, 10],
        [20, 30],
        [40, 50],
      ],
      3,
      100,
    ],
  ] as [string, [number, number][], number, number][])(
    'counts the round trips and the backend time of %s',
    (_name, calls, rounds, backendMs) => {
      const callLog = callLogOf(calls);

      expect(callLog.rounds).toBe(rounds);
      expect(callLog.backendMs).toBe(backendMs);
      expect(callLog.calls).toBe(calls.length);
    },
  );

  it('counts the longest chain of sequential calls as its round trips', () => {
    const span = fc
      .tuple(fc.nat(50), fc.nat(20))
      .map(([start, ms]) => [start, start + ms] as const);

    fc.assert(
      fc.property(fc.array(span, { maxLength: 30 }), (calls) => {
        const { entries, rounds } = callLogOf(calls);
        const memo = new Map<number, number>();
        const chainTo = (i: number): number => {
          let longest = memo.get(i) ?? 0;
          if (longest > 0) return longest;
          for (let j = 0; j < i; j++) {
            if (entries[j]!.endMs! <= entries[i]!.startMs) longest = Math.max(longest, chainTo(j));
          }
          memo.set(i, longest + 1);
          return longest + 1;
        };
        expect(rounds).toBe(entries.reduce((most, _, i) => Math.max(most, chainTo(i)), 0));
      }),
      { numRuns: 2_000 },
    );
  });

  it('records a primed read without counting it as a call', () => {
    const time = fakeTime();
    const callLog = new CallLog();
    callLog.end(callLog.begin(route, ['a'], 'sent', 1), 200);
    time.nowMs += 5;
    callLog.note(route, ['a', 'b'], 'primed');

    expect(callLog).toMatchObject({ calls: 1, rounds: 1 });
    expect(callLog.entries[1]).toMatchObject({ source: 'primed', origin: ['a', 'b'] });
    expect(callLog.entries[1]!.endMs).toBe(callLog.entries[1]!.startMs);
  });

  it('includes a call in flight in its round trips and its backend time', () => {
    const time = fakeTime();
    const callLog = new CallLog();
    callLog.begin(route, null, 'sent', 1);
    time.nowMs += 10;

    expect(callLog.rounds).toBe(1);
    expect(callLog.backendMs).toBe(10);
  });

  it('records a call that the circuit breaker rejected without counting it', async () => {
    const { backend, client } = await openRest();
    backend.on('*', status(500));
    const one = client();

    for (let i = 0; i < 25; i++) await outcome(getPerson(one, i));

    expect(backend.hits()).toBe(20);
    expect(one.callLog).toMatchObject({ calls: 20, rounds: 20 });
    expect(one.callLog.entries).toHaveLength(25);
    expect(one.callLog.entries[20]).toMatchObject({ source: 'unsent', status: undefined });
    expect(one.callLog.entries[20]!.endMs).toBeDefined();
  });

  it('records calls that were rejected by the queue or cancelled in it without counting them', async () => {
    const { backend, client } = await openRest({ connections: 1, maxQueue: 2 });
    backend.on('*', silence());
    const leaving = new Cancel();
    const one = client({ leaving });

    const calls = Array.from({ length: 4 }, (_, i) => outcome(getPerson(one, i)));
    await vi.waitUntil(() => backend.hits() === 1);
    expect(one.callLog.calls).toBe(1);
    leaving.cancel();
    await Promise.all(calls);

    expect(backend.hits()).toBe(1);
    expect(one.callLog).toMatchObject({ calls: 1, rounds: 1 });
    expect(one.callLog.entries.map(({ source }) => source)).toEqual([
      'sent',
      'unsent',
      'unsent',
      'unsent',
    ]);
  });

  it('takes fewer than five function calls for a logged call', async () => {
    const calls = await countCalls(() => {
      const callLog = new CallLog();
      for (let i = 0; i < 250; i++) callLog.end(callLog.begin(route, null, 'sent', 1), 200);
      expect(callLog.rounds).toBe(250);
    });

    expect(calls / 250).toBeLessThan(5);
  });
});

const getPerson = (client: RestClient, i: number) =>
  client.call(routes.getPerson, { path: { person_id: `p${i}` } });
