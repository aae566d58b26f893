/**
 * Model test of outages: random orders of faults, of nested queries, of callers that leave, and of time. However an outage
 * went, one query after `openMs` gets a complete response and closes every circuit. Network and clock are staged.
 */
import { execute, parse } from 'graphql';
import fc from 'fast-check';
import { setImmediate as turn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { createContext } from '../../src/graph/context.ts';
import { Cancel } from '../../src/lib/cancel.ts';
import { createUpstream } from '../../src/rest/upstream.ts';
import { cases } from '../support/cases.ts';
import { routeOf, sampleOf } from '../support/sample-responses.ts';
import { scopeOf } from '../support/settings.ts';
import { FakeClock } from '../support/fake-clock.ts';

const OPEN_MS = 2_000;
const TIMEOUT_MS = 900;
const SLOW_MS = 600;

const NESTED = parse(
  '{ page(pageId: "p") { name audiences(first: 3) { nodes { person { name } } } } }',
);
const SCREENS = [
  NESTED,
  parse('{ page(pageId: "p") { name } }'),
  parse('{ one: person(personId: "a") { name } other: person(personId: "b") { name } }'),
];

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

/** What the backend does with an attempt, from its arrival. */
type Health = 'well' | 'slow' | 'failing' | 'resetting' | 'silent' | 'absent' | 'unroutable';

function stage(onOpen: () => void) {
  const clock = new FakeClock();
  const state = { health: 'well' as Health };
  const dispatcher = {
    dispatch({ path }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      let isOver = false;
      const fail = (error: Error): void => {
        if (isOver) return;
        isOver = true;
        handler.onResponseError?.(controller, error);
      };
      const controller = {
        aborted: false,
        paused: false,
        reason: null,
        rawHeaders: [],
        rawTrailers: [],
        pause: () => {},
        resume: () => {},
        abort: fail,
      };
      const answer = (status: number): void => {
        if (isOver) return;
        isOver = true;
        const { route, values } = routeOf({ method: 'GET', target: path })!;
        const body = JSON.stringify(sampleOf(route, values));
        handler.onResponseStart?.(controller, status, { 'content-type': 'application/json' }, '');
        handler.onResponseData?.(controller, Buffer.from(body));
        handler.onResponseEnd?.(controller, {});
      };
      const { health } = state;
      // It never gets a connection.
      if (health === 'unroutable') return true;
      queueMicrotask(() => {
        if (health === 'absent') return fail(errorOf('ECONNREFUSED'));
        handler.onRequestStart?.(controller, {});
        if (health === 'well') answer(200);
        if (health === 'failing') answer(500);
        if (health === 'resetting') fail(errorOf('ECONNRESET'));
        if (health === 'slow') clock.setTimeout(() => answer(200), SLOW_MS);
      });
      return true;
    },
    close: async () => {},
  };
  const upstream = createUpstream({
    dispatcher,
    pathPrefix: '',
    routeSet: 'extended',
    timeoutMs: TIMEOUT_MS,
    breaker: { volume: 3, outageMs: 0, openMs: OPEN_MS },
    clock,
    observer: { onBreaker: ({ state }) => state === 'open' && onOpen() },
  });

  /** Begins a query. */
  function ask(document: typeof NESTED, apiKey: string, waitMs: number) {
    const leaving = new Cancel();
    const rest = upstream(scopeOf({ apiKey, leaving, deadlineMs: clock.now() + waitMs }));
    const context = createContext(rest, { apiKey });
    const query = { isOver: false, leaving, errors: undefined as readonly unknown[] | undefined };
    void Promise.resolve(execute({ schema, document, contextValue: context })).then((result) => {
      query.isOver = true;
      query.errors = result.errors;
    });
    return query;
  }

  /** Passes time, with turns for what it ends. */
  async function pass(ms: number, stepMs = 300): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.pass(Math.min(left, stepMs));
      await turn();
      await turn();
    }
  }

  return { state, upstream, ask, pass };
}

type Step =
  | { readonly kind: 'health'; readonly health: Health }
  | { readonly kind: 'ask'; readonly screen: number; readonly key: number; readonly ms: number }
  | { readonly kind: 'leave'; readonly which: number }
  | { readonly kind: 'pass'; readonly ms: number };

const HEALTHS = ['well', 'slow', 'failing', 'resetting', 'silent', 'absent', 'unroutable'] as const;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('health' as const),
      health: fc.constantFrom(...HEALTHS),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      screen: fc.nat({ max: SCREENS.length - 1 }),
      key: fc.nat({ max: 1 }),
      ms: fc.integer({ min: 20, max: 3_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), which: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.constant(OPEN_MS)),
    }),
  },
);

it('completes a nested query and closes every circuit within openMs of the end of an outage, in any order of events', async () => {
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...HEALTHS),
      fc.array(step, { maxLength: 30, size: 'max' }),
      fc.constantFrom('well', 'slow'),
      async (health, steps, healed) => {
        const { state, upstream, ask, pass } = stage(() => (opened += 1));
        const queries: ReturnType<typeof ask>[] = [];
        state.health = health;

        for (const one of steps) {
          if (one.kind === 'health') state.health = one.health;
          if (one.kind === 'ask') queries.push(ask(SCREENS[one.screen]!, `key-${one.key}`, one.ms));
          if (one.kind === 'leave') queries[one.which % queries.length]?.leaving.cancel();
          if (one.kind === 'pass') await pass(one.ms);
          await turn();
        }
        state.health = healed;
        // The attempts that the outage silenced are a part of it.
        await pass(TIMEOUT_MS + OPEN_MS);

        for (const key of ['key-0', 'key-1']) {
          const query = ask(NESTED, key, 10_000);
          await pass(2 * SLOW_MS + 500);
          expect(query).toMatchObject({ isOver: true, errors: undefined });
        }
        expect(upstream.breaker.tripped).toEqual([]);
      },
    ),
    { numRuns: cases(60) },
  );
  expect(opened, 'circuits that opened').toBeGreaterThan(10);
});
