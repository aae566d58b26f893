/** Model test of REST calls: random orders of events, checked against the promises of a call. Network and clock are staged. */
import fc from 'fast-check';
import { setImmediate as turn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { Cancel } from '../../src/lib/cancel.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import { createUpstream } from '../../src/rest/upstream.ts';
import { routes } from '../../src/v0/routes.ts';
import { cases } from '../support/cases.ts';
import { scopeOf } from '../support/settings.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { person, topic } from './open-rest.ts';

const CONNECTIONS = 8;
/** Shares of a key: seven eighths of all connections, and four fifths for one route. */
const MOST_OF_A_KEY = 7;
const MOST_OF_A_ROUTE = 6;
const TIMEOUT_MS = 300;
const LONGEST_PAUSE_MS = 60_000;

/** One request on the wire. */
class Exchange {
  isStarted = false;
  isOver = false;
  readonly #controller = {
    aborted: false,
    paused: false,
    reason: null,
    rawHeaders: [],
    rawTrailers: [],
    pause: () => {},
    resume: () => {},
    abort: (reason: Error) => this.fail(reason),
  };

  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;

  constructor(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    this.options = options;
    this.handler = handler;
  }

  get apiKey(): string {
    return (this.options.headers as string[])[1]!;
  }

  get isUnderWay(): boolean {
    return this.isStarted && !this.isOver;
  }

  start(): void {
    if (this.isStarted || this.isOver) return;
    this.isStarted = true;
    this.handler.onRequestStart?.(this.#controller, {});
  }

  answer(status: number, headers: Record<string, string> = {}): void {
    this.start();
    if (this.isOver) return;
    const body = this.options.path.startsWith('/v0/topics') ? topic('t') : person('p');
    const all = { 'content-type': 'application/json', ...headers };
    this.handler.onResponseStart?.(this.#controller, status, all, '');
    if (!this.isOver)
      this.handler.onResponseData?.(this.#controller, Buffer.from(JSON.stringify(body)));
    if (this.isOver) return;
    this.isOver = true;
    this.handler.onResponseEnd?.(this.#controller, {});
  }

  fail(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    this.handler.onResponseError?.(this.#controller, error);
  }
}

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

/** What a backend or the network may do with a request. */
const EVENTS: Readonly<Record<string, (exchange: Exchange) => void>> = {
  connected: (exchange) => exchange.start(),
  ok: (exchange) => exchange.answer(200),
  'not found': (exchange) => exchange.answer(404),
  'refused key': (exchange) => exchange.answer(401),
  fault: (exchange) => exchange.answer(500),
  busy: (exchange) => exchange.answer(503),
  limited: (exchange) => exchange.answer(429, { 'retry-after': '1' }),
  'no connection': (exchange) => !exchange.isStarted && exchange.fail(errorOf('ECONNREFUSED')),
  reset: (exchange) => exchange.fail(errorOf('ECONNRESET')),
};

type Step =
  | {
      readonly kind: 'read' | 'write';
      readonly key: number;
      readonly id: number;
      readonly ms: number;
    }
  | { readonly kind: 'leave'; readonly which: number }
  | { readonly kind: 'event'; readonly name: string; readonly which: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'turn' };

const nat = fc.nat({ max: 1_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      key: fc.nat({ max: 1 }),
      id: fc.nat({ max: 23 }),
      ms: fc.integer({ min: 20, max: 1_500 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      key: fc.nat({ max: 1 }),
      id: fc.constant(0),
      ms: fc.integer({ min: 20, max: 1_500 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), which: nat }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      name: fc.constantFrom(...Object.keys(EVENTS)),
      which: nat,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 1, max: 400 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'turn' as const }) },
);

interface Caller {
  readonly path: string;
  readonly apiKey: string;
  readonly leaving: Cancel;
  readonly client: RestClient;
  heard: number;
}

function stage(volume: number) {
  const clock = new FakeClock();
  const callers: Caller[] = [];
  const wire: Exchange[] = [];
  const faults: string[] = [];
  const dispatcher = {
    dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const exchange = new Exchange(options, handler);
      const waiting = callers.filter(
        ({ path, apiKey, heard }) =>
          heard === 0 && path === options.path && apiKey === exchange.apiKey,
      );
      if (waiting.length === 0)
        faults.push(`${options.method} ${options.path} sent without a caller`);
      wire.push(exchange);
      return true;
    },
    close: async () => {},
  };
  const upstream = createUpstream({
    dispatcher,
    pathPrefix: '',
    routeSet: 'extended',
    timeoutMs: TIMEOUT_MS,
    connections: CONNECTIONS,
    maxQueue: 12,
    breaker: { volume, outageMs: 0 },
    clock,
  });

  function ask(kind: 'read' | 'write', apiKey: string, id: string, ms: number): Caller {
    const leaving = new Cancel();
    const client = upstream(scopeOf({ apiKey, leaving, deadlineMs: clock.now() + ms }));
    const isPerson = id.startsWith('p');
    const path = isPerson ? `/v0/persons/${id}` : `/v0/topics/${id}`;
    const caller: Caller = { path, apiKey, leaving, client, heard: 0 };
    callers.push(caller);
    const hear = (): void => void (caller.heard += 1);
    const answer: Promise<unknown> = isPerson
      ? client.call(routes.getPerson, { path: { person_id: id } })
      : kind === 'read'
        ? client.call(routes.getTopic, { path: { topic_id: id } })
        : client.call(routes.updateTopic, { path: { topic_id: id }, body: { title: 'x' } });
    answer.then(hear, hear);
    return caller;
  }

  function checkShares(): void {
    const underWay = wire.filter((exchange) => exchange.isUnderWay);
    if (underWay.length > CONNECTIONS) faults.push(`${underWay.length} under way`);
    for (const key of ['key-0', 'key-1']) {
      const ofKey = underWay.filter(({ apiKey }) => apiKey === key).length;
      if (ofKey > MOST_OF_A_KEY) faults.push(`${ofKey} of ${key} under way`);
    }
  }

  return { clock, callers, wire, faults, ask, checkShares };
}

it('responds to each caller once, sends each write once, makes no call without a caller, and frees every timer and slot, in any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 80 }),
      fc.constantFrom(3, Number.MAX_SAFE_INTEGER),
      async (steps, volume) => {
        const { clock, callers, wire, faults, ask, checkShares } = stage(volume);

        for (const [i, one] of steps.entries()) {
          const pick = <Item>(items: readonly Item[], which: number) => items[which % items.length];
          if (one.kind === 'read')
            ask('read', `key-${one.key}`, `${one.id % 2 ? 'p' : 't'}${one.id}`, one.ms);
          if (one.kind === 'write') ask('write', `key-${one.key}`, `written-${i}`, one.ms);
          if (one.kind === 'leave') pick(callers, one.which)?.leaving.cancel();
          if (one.kind === 'event') {
            const open = wire.filter(({ isOver }) => !isOver);
            const exchange = pick(open, one.which);
            if (exchange) EVENTS[one.name]!(exchange);
          }
          if (one.kind === 'pass') clock.pass(one.ms);
          if (one.kind === 'turn') await turn();
          checkShares();
        }
        // End all that is left at its deadline, respond too late, and wait for the end of every pause.
        for (let i = 0; i < 4; i++) {
          clock.pass(1_000);
          await turn();
        }
        for (const exchange of wire) exchange.answer(200);
        await turn();
        clock.pass(LONGEST_PAUSE_MS);
        await turn();

        expect(faults).toEqual([]);
        expect(callers.map(({ heard }) => heard)).toEqual(callers.map(() => 1));
        const lines = callers.flatMap(({ client }) => client.callLog.entries);
        expect(lines.filter(({ endMs }) => endMs === undefined)).toEqual([]);
        const sent = wire.map(({ options }) => `${options.method} ${options.path}`);
        const writes = sent.filter((name) => name.startsWith('PATCH'));
        expect(new Set(writes).size, 'each write is sent once').toBe(writes.length);
        expect(clock.waits, 'no timer is left').toEqual([]);
        // All slots are free again, unless a circuit has opened.
        if (volume === 3) return;
        for (const key of ['another', 'key-0', 'key-1']) {
          const before = wire.length;
          for (let i = 0; i < CONNECTIONS; i++) ask('read', key, `p-${key}-${i}`, 100);
          expect(wire.length - before).toBe(MOST_OF_A_ROUTE);
          clock.pass(1_000);
          await turn();
        }
      },
    ),
    { numRuns: cases(150) },
  );
});
