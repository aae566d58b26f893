/** A read that has begun, as its request sees it. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Prefetch } from '../../../src/extensions/read-ahead/prefetch.ts';
import {
  RememberedReads,
  Predictions,
  Run,
  type Prefetches,
} from '../../../src/extensions/read-ahead/run.ts';
import type { RequestScope, RestClient } from '../../../src/rest/client/client.ts';
import type { CallLogEntry } from '../../../src/rest/call/call-log.ts';
import type { Call } from '../../../src/rest/call/call.ts';
import {
  failureOf,
  getPerson,
  openRest,
  outcome,
  personAsked,
  type RestOptions,
} from '../../rest/open-rest.ts';
import { routes } from '../../../src/v0/routes.ts';
import { ok, silence, status } from '../../support/faults.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { until } from '../../support/until.ts';

/** Begins to read a person; `ask` is what a field does that asks it. */
async function begin(client: RestClient) {
  let begun: Prefetch | undefined;
  let asked: Call | undefined;
  const make = client.makeCall;
  client.makeCall = (call) => {
    asked = { ...call, origin: 'field' };
    begun = new Prefetch(make, [call.route, call.path], call);
    return Promise.resolve();
  };
  await getPerson(client);
  const ask = () => begun!.take(asked!, () => Promise.reject(new Error('made again')));
  return { ask, begun: begun! };
}

describe('a prefetched read', () => {
  it('counts as a call, but adds no round trip, wait or header to its request until a field requests it', async () => {
    const { backend, client } = await openRest({ exposeHeaders: ['x-left'] });
    backend.on('*', ok(personAsked, { 'x-left': '41' }));
    const one = client();
    const { callLog } = one;

    const { ask } = await begin(one);
    await until(() => callLog.entries.some(({ endMs }) => endMs !== undefined));
    const before = [callLog.calls, callLog.rounds, callLog.backendMs, callLog.exposed];
    const answer = await ask();

    expect(before).toEqual([1, 0, 0, undefined]);
    expect(answer).toMatchObject({ personId: 'p' });
    expect([callLog.calls, callLog.rounds]).toEqual([1, 1]);
    expect(callLog.exposed).toEqual(new Map([['x-left', '41']]));
    expect(callLog.entries).toMatchObject([
      { ahead: 'used', origin: 'field', source: 'sent', status: 200 },
    ]);
  });

  it('ends with its request, and closes its connection', async () => {
    const { backend, client } = await openRest();
    let closed: Promise<unknown> | undefined;
    backend.on('*', (_response, _seen, socket) => void (closed = once(socket, 'close')));
    const one = client();
    const { ask } = await begin(one);
    await until(() => closed !== undefined);

    one.abort();

    await closed;
    expect(one.callLog.entries).toMatchObject([{ ahead: 'unused', failure: 'cancelled' }]);
    expect(await outcome(ask())).toMatchObject({ message: 'made again' });
  });

  it('is marked as ended in the call log as soon as it is cancelled', async () => {
    const { backend, client } = await openRest();
    backend.on('*', silence());
    const one = client();
    const { begun } = await begin(one);

    begun.cancel();

    expect(one.callLog.entries[0]!.endMs).toBeGreaterThan(0);
  });

  it('has the span of its attempt in the call log', async () => {
    const { backend, client } = await openRest();
    backend.on('*', ok(personAsked));
    const span = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
    const one = client({ trace: { forwarded: [], begin: () => ({ span, headers: [] }) } });

    await begin(one);

    expect(one.callLog.entries).toMatchObject([{ span }]);
  });

  it('ends at the deadline of its request', async () => {
    const clock = new FakeClock();
    const { backend, client } = await openRest({ clock, timeoutMs: 60_000 });
    backend.on('*', silence());
    const one = client({ deadlineMs: clock.now() + 1_000 });
    await begin(one);

    clock.pass(1_001);

    expect(one.callLog.entries).toMatchObject([{ ahead: 'unused', source: 'sent' }]);
    await until(() => one.callLog.entries[0]!.endMs !== undefined);
  });
});

describe('a prefetching run', () => {
  /** A screen that has been opened once: a person, and then another. */
  async function openScreen(options?: RestOptions) {
    const { backend, client } = await openRest(options);
    backend.on('*', ok(personAsked));
    const runs = { remembered: new RememberedReads(), begun: new Set<Prefetches>(), now: () => 0 };
    const predictions = new Predictions('screen');
    const open = (scope?: Partial<RequestScope>) => {
      const one = client(scope);
      const run = new Run(runs, 'key-a', one, predictions, {});
      one.makeCall = run.makeCall;
      return { one, run };
    };
    const { one, run } = open();
    await getPerson(one, 'parent');
    await getPerson(one, 'child');
    run.end();
    run.remember();
    const timesRead = (id: string) =>
      backend.seen.filter(({ target }) => target.endsWith(id)).length;
    const write = (of: RestClient) =>
      of.call(routes.restorePage, { path: { page_id: 'p' }, body: {} });
    return { backend, open, write, timesRead, runs };
  }

  it('starts the reads of the previous run after its first round trip', async () => {
    const { open, timesRead } = await openScreen();

    const { one } = open();
    await getPerson(one, 'parent');

    await until(() => timesRead('child') === 2);
    one.abort();
  });

  it('that has ended is removed from all tables with its unused reads', async () => {
    const { open, timesRead, runs } = await openScreen();
    const { one, run } = open();
    await getPerson(one, 'parent');
    await until(() => timesRead('child') === 2);
    const [begun] = runs.begun;

    run.end();

    expect(begun!.byPath.size).toBe(0);
    expect(runs.begun.size).toBe(0);
  });

  it('starts a read once, and repeats it for each further field that requests it, as without prefetching', async () => {
    const { open, timesRead } = await openScreen();
    const openTwice = async () => {
      const { one, run } = open();
      await getPerson(one, 'parent');
      await getPerson(one, 'child');
      await getPerson(one, 'child');
      run.end();
      run.remember();
      return one.callLog.entries.map(({ ahead = 'asked' }) => ahead);
    };

    expect(await openTwice()).toEqual(['asked', 'used', 'asked']);
    expect(await openTwice()).toEqual(['asked', 'used', 'asked']);
    expect(timesRead('child')).toBe(1 + 2 + 2);
  });

  it('does not start reads that fields request in its first round trip', async () => {
    const { open, timesRead } = await openScreen();
    const { one } = open();

    await Promise.all([getPerson(one, 'parent'), getPerson(one, 'child')]);

    expect(one.callLog.entries.filter(({ ahead }) => ahead)).toEqual([]);
    expect(timesRead('child')).toBe(2);
  });

  it('starts no write, even if a plugin writes during a query', async () => {
    const { open, write, timesRead } = await openScreen();
    const openAndWrite = async () => {
      const { one, run } = open();
      await getPerson(one, 'parent');
      await outcome(write(one));
      run.end();
      run.remember();
    };

    await openAndWrite();
    await openAndWrite();

    expect(timesRead('restore')).toBe(2);
  });

  it('does not repeat a read after the deadline', async () => {
    const clock = new FakeClock();
    const { backend, open, timesRead } = await openScreen({ clock, timeoutMs: 60_000 });
    backend.on('GET /v0/persons/child', silence());
    const { one } = open({ deadlineMs: clock.now() + 1_000 });
    await getPerson(one, 'parent');
    const child = failureOf(getPerson(one, 'child'));
    await until(() => timesRead('child') === 2);

    clock.pass(1_001);

    expect(await child).toBe('timeout');
    expect(one.callLog.entries).toMatchObject([{}, { ahead: 'used' }]);
  });

  it('stops at a read that would wait for a connection, and does not log it', async () => {
    const { open, timesRead } = await openScreen({ connections: 1 });
    const { one } = open();

    await getPerson(one, 'parent');

    expect(one.callLog.entries.map(({ source }) => source)).toEqual(['sent']);
    expect(timesRead('child')).toBe(1);
  });

  it.each([
    ['its caller has left', ({ one }: Opened) => one.abort()],
    ['its deadline has passed', (_: Opened, clock: FakeClock) => clock.pass(1_001)],
    ['it has ended', ({ run }: Opened) => run.end()],
  ])('starts nothing once %s', async (_, end) => {
    const clock = new FakeClock();
    const { open, timesRead } = await openScreen({ clock });
    const opened = open({ deadlineMs: clock.now() + 1_000 });

    const parent = outcome(getPerson(opened.one, 'parent'));
    end(opened, clock);

    await parent;
    await new Promise((resolve) => setImmediate(resolve));
    expect(timesRead('child')).toBe(1);
    expect(opened.one.callLog.entries.filter(({ ahead }) => ahead)).toEqual([]);
  });

  it('passes on a 404 with its headers in one call', async () => {
    const { backend, open, timesRead } = await openScreen({ exposeHeaders: ['x-left'] });
    backend.on('GET /v0/persons/child', status(404, { 'x-left': '7' }));
    const { one } = open();
    await getPerson(one, 'parent');
    await until(() => one.callLog.entries.some(isEndedAhead));

    const child = await one.find(routes.getPerson, { path: { person_id: 'child' } });

    expect(child).toBeNull();
    expect(one.callLog.exposed).toEqual(new Map([['x-left', '7']]));
    expect(timesRead('child')).toBe(2);
  });
});

interface Opened {
  readonly one: RestClient;
  readonly run: Run;
}

const isEndedAhead = ({ ahead, endMs }: CallLogEntry): boolean =>
  ahead !== undefined && endMs !== undefined;
