/** The call log of a request as rows and rounds. */
import { expect, it } from 'vitest';
import type { ExplainedCall } from '../../src/plan/explain.ts';
import { waterfallOf } from '../../src/explorer/waterfall/rows.ts';

const call = (
  startMs: number,
  endMs: number,
  others: Partial<ExplainedCall> = {},
): ExplainedCall => ({
  method: 'GET',
  route: '/v0/topics',
  path: ['topics'],
  startMs,
  durationMs: endMs - startMs,
  status: 200,
  attempt: 1,
  source: 'sent',
  ...others,
});

const waterfallFor = (...journal: ExplainedCall[]) =>
  waterfallOf({ calls: journal.length, rounds: 1, backendMs: 1, journal });

it('waterfallOf labels each call by how it got its response', () => {
  const { rows } = waterfallFor(
    call(0, 10),
    call(12, 20, { attempt: 2 }),
    call(0, 10, { source: 'shared' }),
    call(0, 0, { source: 'primed' }),
    call(0, 0, { source: 'cached' }),
    call(0, 0, { source: 'unsent', status: null, durationMs: null }),
    call(0, 10, { ahead: 'used' }),
    call(0, 10, { ahead: 'unused' }),
    call(0, 0, { source: 'unsent', ahead: 'unused', status: null }),
  );

  const hows = ['sent', 'retried', 'shared', 'primed', 'cached', 'rejected', 'ahead', 'unused'];
  expect(rows.map(({ how }) => how)).toEqual([...hows, 'rejected']);
});

it('waterfallOf marks calls as failed that got an error status or no response', () => {
  const { rows } = waterfallFor(
    call(0, 10, { status: 401 }),
    call(0, 10, { status: 503, attempt: 2 }),
    call(0, 10, { status: 404, source: 'shared' }),
    call(0, 10, { status: null }),
    call(0, 10, { status: 304 }),
    call(0, 0, { status: null, source: 'primed' }),
    call(0, 0, { status: null, durationMs: null }),
  );

  expect(rows.map(({ isFailed }) => isFailed)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

it('waterfallOf names the field of a call by its path in the response', () => {
  const path = ['page', 'audiences', 'nodes', 1, 'person'];

  expect(waterfallFor(call(0, 1, { path })).rows[0]!.field).toBe('page.audiences.nodes.1.person');
});

it('waterfallOf starts a round trip with a call that starts after a call of the previous round trip has ended', () => {
  const { rounds, endMs } = waterfallFor(call(0, 10), call(1, 30), call(12, 40), call(15, 25));

  expect(rounds).toEqual([
    { startMs: 0, endMs: 30 },
    { startMs: 12, endMs: 40 },
  ]);
  expect(endMs).toBe(40);
});

it('waterfallOf shows no round trip for unsent calls or unused prefetches', () => {
  const { rounds } = waterfallFor(
    call(0, 10),
    call(11, 11, { source: 'primed' }),
    call(12, 12, { source: 'unsent' }),
    call(13, 13, { source: 'cached' }),
    call(14, 15, { ahead: 'unused' }),
  );

  expect(rounds).toHaveLength(1);
});
