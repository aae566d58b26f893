/** The times at which a watched object is polled. */
import { expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { ID, inState } from '../faults/live-watchers.ts';
import { held, status } from '../support/faults.ts';
import { openGateway } from '../support/open-gateway.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';
import { openEvents } from './support.ts';

const ROUTE = 'GET /v0/pages/p/audiences/a/versions/v';
const PUBLISH = 'POST /v0/pages/p/audiences/a/versions/v/publish';
const POLL_MS = { least: 500, most: 5_000 };

it('polls a watched object soon after a write that completes while a poll is in flight', async () => {
  const clock = new FakeClock();
  // No heartbeats, whose timers would be among those of the polls.
  const live = { pollMs: POLL_MS, heartbeatMs: 3_600_000 };
  const site = await openGateway({ backend: 'faulty', clock, live });
  const polls = () => site.upstream.hits(ROUTE);
  /** When the next poll is due; undefined while one is in flight. */
  const pollIn = () => clock.waits.find((waitMs) => waitMs <= POLL_MS.most);
  site.upstream.on(ROUTE, inState('draft'));
  site.upstream.on(PUBLISH, inState('queued'));
  const stream = await openEvents(site.url, { id: ID }, { apiKey: 'key' });
  // Pass time without a change until the interval between polls is at its longest.
  await until(() => {
    const isRare = stream.events.length > 0 && pollIn()! > 0.8 * POLL_MS.most;
    if (!isRare) clock.pass(POLL_MS.least);
    return isRare;
  });
  const late = held(inState('draft'));
  site.upstream.on(ROUTE, late.behaviour);
  const before = polls();
  clock.pass(POLL_MS.most);
  await until(() => polls() === before + 1);

  const write = await site.ask(
    `mutation { publishAudienceVersion(input: { id: "${ID}" }) { userErrors { message } } }`,
    { apiKey: 'key' },
  );
  late.release();

  expect(write.data).toEqual({ publishAudienceVersion: { userErrors: [] } });
  // The timer of the next poll is set once the poll in flight gets a response.
  await until(() => pollIn() !== undefined);
  clock.pass(POLL_MS.least);
  await until(() => polls() === before + 2, 5_000);
  stream.leave();
});

it('polls a watched object again within a minute, regardless of Retry-After', async () => {
  const clock = new FakeClock();
  const live = { pollMs: POLL_MS, heartbeatMs: 3_600_000 };
  const site = await openGateway({ backend: 'faulty', clock, live });
  site.upstream.on(ROUTE, status(503, { 'retry-after': '86400' }), inState('published'));
  const stream = await openEvents(site.url, { id: ID }, { apiKey: 'key' });
  await until(() => stream.events.length > 0);

  clock.pass(59_000);
  expect(site.upstream.hits(ROUTE)).toBe(1);
  clock.pass(1_000 + POLL_MS.most);
  await stream.ended;

  expect(stream.isComplete()).toBe(true);
  expect(site.upstream.hits(ROUTE)).toBe(2);
});

it('spreads the polls of many objects after a shared Retry-After', async () => {
  const clock = new FakeClock();
  const live = { pollMs: POLL_MS, heartbeatMs: 3_600_000 };
  const site = await openGateway({ backend: 'faulty', clock, live });
  site.upstream.on('*', status(503, { 'retry-after': '30' }));
  const ids = Array.from({ length: 10 }, (_, i) =>
    formatNodeId('AudienceVersion', ['p', 'a', `v${i}`]),
  );
  const streams = await Promise.all(
    ids.map((id) => openEvents(site.url, { id }, { apiKey: 'key' })),
  );
  const waits = () => clock.waits.filter((waitMs) => waitMs >= 30_000 && waitMs < 40_000);

  await until(() => streams.every(({ events }) => events.length > 0) && waits().length >= 10);

  expect(Math.max(...waits()) - Math.min(...waits())).toBeGreaterThan(50);
  for (const stream of streams) stream.leave();
});
