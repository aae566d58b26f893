/**
 * Model test of subscriptions: random sequences of commands on a version and its watchers. Each watcher sees
 * the states of the model in their order, and the last one in the end.
 *
 * A failure prints the commands that led to it, shrunk to the fewest.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { cases } from '../support/cases.ts';
import { POST_JSON, send } from '../support/client.ts';
import { openGateway } from '../support/open-gateway.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { ok, status } from '../support/faults.ts';
import { sampleOf } from '../support/world.ts';
import { openEvents, PUBLISH, statusesOf, type Events } from './support.ts';
import { until } from '../support/until.ts';

const VERSION = { page_id: 'p', audience_id: 'a', version_id: 'v' };
const ID = formatNodeId('AudienceVersion', Object.values(VERSION));
const PUBLISH_ROUTE = 'POST /v0/pages/p/audiences/a/versions/v/publish';
const ORDER = ['draft', 'queued', 'processing', 'published'];
const FINAL = new Set(['published', 'cancelled', 'archived']);

interface Model {
  state: string;
  isFailing: boolean;
  watching: number;
}

interface Real {
  readonly url: string;
  readonly backend: Model & {
    /** The number of next responses that have the state from before the last step. */
    outdated: number;
    before: string;
  };
  /** Watchers whose streams are open, and those whose streams have ended. */
  readonly watchers: Events[];
  readonly former: Events[];
}

class Step implements fc.AsyncCommand<Model, Real> {
  readonly #name: string;
  readonly #to: (state: string) => string;

  constructor(name: string, to: (state: string) => string) {
    this.#name = name;
    this.#to = to;
  }

  check = ({ state }: Model): boolean => !FINAL.has(state);

  async run(model: Model, { backend, watchers }: Real): Promise<void> {
    backend.before = model.state;
    model.state = this.#to(model.state);
    backend.state = model.state;
    // While the backend responds, every watcher sees the state before the next command.
    if (!model.isFailing)
      await until(() => watchers.every((watcher) => last(watcher) === model.state));
    if (FINAL.has(model.state)) model.watching = 0;
  }

  toString = (): string => this.#name;
}

const last = ({ events }: Events): string | undefined => statusesOf(events).at(-1);

const command = (
  name: string,
  check: (model: Readonly<Model>) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): fc.AsyncCommand<Model, Real> => ({ check, run, toString: () => name });

const commands: fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] = [
  fc.constant(new Step('move on', (state) => ORDER[ORDER.indexOf(state) + 1]!)),
  fc.constant(
    command(
      'publish',
      ({ state, isFailing }) => state === 'draft' && !isFailing,
      async (model, { url, watchers }) => {
        const { body } = await send(`${url}/graphql`, {
          method: 'POST',
          headers: { 'x-api-key': 'key', ...POST_JSON },
          body: JSON.stringify({ query: PUBLISH, variables: { input: { id: ID } } }),
        });
        model.state = body.data.publishAudienceVersion.audienceVersion.status;
        await until(() => watchers.every((watcher) => last(watcher) === 'queued'));
      },
    ),
  ),
  fc.constant(
    command(
      'respond as before',
      ({ state, isFailing }) => !FINAL.has(state) && !isFailing,
      async (model, { backend, watchers }) => {
        backend.outdated = 2;
        if (model.watching > 0) await until(() => backend.outdated <= 0);
        expect(watchers.map(last)).toEqual(watchers.map(() => model.state));
      },
    ),
  ),
  fc.constant(new Step('cancel', () => 'cancelled')),
  fc.constant(new Step('archive', () => 'archived')),
  fc.constant(
    command(
      'watch',
      ({ watching }) => watching < 4,
      async (model, { url, watchers, former }) => {
        const watcher = await openEvents(url, { id: ID }, { apiKey: 'key' });
        await until(() => watcher.events.length > 0);
        if (!model.isFailing) await until(() => last(watcher) === model.state);
        if (FINAL.has(model.state) && !model.isFailing) former.push(watcher);
        else {
          watchers.push(watcher);
          model.watching += 1;
        }
      },
    ),
  ),
  fc.constant(
    command(
      'leave',
      ({ watching, state }) => watching > 0 && !FINAL.has(state),
      async (model, { watchers, former }) => {
        const watcher = watchers.shift()!;
        watcher.leave();
        former.push(watcher);
        model.watching -= 1;
        await watcher.ended;
      },
    ),
  ),
  fc.constant(
    command(
      'fail',
      ({ isFailing }) => !isFailing,
      async (model, { backend }) => {
        model.isFailing = true;
        backend.isFailing = true;
      },
    ),
  ),
  fc.constant(
    command(
      'recover',
      ({ isFailing }) => isFailing,
      async (model, { backend, watchers }) => {
        model.isFailing = false;
        backend.isFailing = false;
        await until(() => watchers.every((watcher) => last(watcher) === model.state));
      },
    ),
  ),
];

describe('a random sequence of commands', () => {
  it('delivers each state once and in order to every watcher, up to the last state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 12 }), async (sequence) => {
        const begin = { state: 'draft', isFailing: false, watching: 0 };
        const backend = { ...begin, outdated: 0, before: 'draft' };
        const upstream = await openFaultUpstream();
        const version = sampleOf(routes.getVersion, VERSION);
        const inState = (name: string) => ok({ ...version, status: name });
        upstream.on('*', (...args) => {
          if (backend.isFailing) return status(500)(...args);
          if (backend.outdated-- > 0) return inState(backend.before)(...args);
          return inState(backend.state)(...args);
        });
        upstream.on(PUBLISH_ROUTE, (...args) => {
          Object.assign(backend, { state: 'queued', before: 'draft', outdated: 0 });
          return inState('queued')(...args);
        });
        const site = await openGateway({
          backend: new URL(upstream.url),
          live: { pollMs: { least: 10, most: 20 } },
        });
        const real: Real = { url: site.url, backend, watchers: [], former: [] };
        await fc.asyncModelRun(() => ({ model: { ...begin }, real }), sequence);
        Object.assign(backend, { isFailing: false, outdated: 0 });
        if (!FINAL.has(backend.state)) backend.state = 'published';
        await Promise.all(real.watchers.map(({ ended }) => ended));
        for (const { events } of [...real.watchers, ...real.former]) {
          const seen = statusesOf(events).filter((name) => name !== 'none');
          const ranks = seen.map((name) => (FINAL.has(name) ? 3 : ORDER.indexOf(name)));
          expect(ranks, seen.join()).toEqual([...ranks].sort());
          expect(new Set(seen).size, seen.join()).toBe(seen.length);
        }
        for (const watcher of real.watchers) expect(last(watcher)).toBe(backend.state);
        await until(() => site.gateway.pollers.size === 0);
        await site.server.close(0);
        await upstream.stop();
      }),
      { numRuns: cases(30), endOnFailure: true },
    );
  });
});
