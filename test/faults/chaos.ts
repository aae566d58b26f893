/**
 * A backend with random faults, and random queries to ask it.
 *
 * A seed and the request alone decide which response has a fault, and which one: the same seed finds the same faults
 * in any order of calls.
 */
import { createHash } from 'node:crypto';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { schema } from '../../src/app/schema.ts';
import {
  after,
  cut,
  hangUp,
  ok,
  raw,
  reset,
  silence,
  status,
  text,
  type Behaviour,
  type Seen,
} from '../support/faults.ts';
import { randomFrom, randomQuery, type RandomQuery } from '../support/random-query.ts';
import { routeOf, sampleOf, world } from '../support/world.ts';

/**
 * @param rate the share of responses that have a fault.
 * @param seedOf the seed of a request; by default every response has its own.
 * @param onFault called for each response that has a fault.
 */
export function chaos(
  rate: number,
  seedOf: (seen: Seen) => unknown = Math.random,
  onFault: () => void = () => {},
): Behaviour {
  const attempts = new Map<string, number>();
  return (response, seen, socket) => {
    const what = JSON.stringify([seedOf(seen), seen.target]);
    const attempt = (attempts.get(what) ?? 0) + 1;
    if (attempts.size > 10_000) attempts.clear();
    attempts.set(what, attempt);
    const random = randomFrom(hash(`${what} ${attempt}`));
    const hasFault = random() < rate;
    if (hasFault) onFault();
    const behaviour = hasFault ? pick(random, FAULTS)(seen, random) : world();
    return behaviour(response, seen, socket);
  };
}

/** Responds with the fields of this name replaced by a wrong value, the same one in every response. */
export const misshapen =
  (name: string, seed: number): Behaviour =>
  (response, seen, socket) => {
    const wrong = pick(randomFrom(seed), WRONG);
    const answer = JSON.stringify(answerTo(seen), (key, value) => (key === name ? wrong : value));
    return ok(JSON.parse(answer))(response, seen, socket);
  };

type Fault = (seen: Seen, random: () => number) => Behaviour;

const FAULTS: readonly Fault[] = [
  () => status(500),
  () => status(503),
  () => status(404),
  () => status(401),
  () => status(429),
  () => status(302, { location: 'http://elsewhere.example/' }),
  () => reset(),
  () => reset(300),
  () => hangUp(),
  () => text('<html>secret upstream text</html>', 'text/html'),
  () => text('{"secret upstream text"'),
  () => raw('nonsense\r\n\r\n'),
  (seen) => cut(answerTo(seen)),
  () => after(30, world()),
  ...Array.from({ length: 10 }, (): Fault => (seen, random) => ok(broken(answerTo(seen), random))),
  (_seen, random) => (random() < 0.2 ? silence() : after(60, world())),
];

const answerTo = (seen: Seen): Record<string, unknown> => {
  const found = routeOf(seen);
  return found ? sampleOf(found.route, found.values) : {};
};

const WRONG: readonly unknown[] = [null, undefined, 'wrong', -1.5, {}, [], true, 1e300];

/** The same response with one value, at any depth, replaced by a wrong one. */
function broken(answer: Record<string, unknown>, random: () => number): unknown {
  const holders: Record<string, unknown>[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    holders.push(value as Record<string, unknown>);
    Object.values(value).forEach(visit);
  };
  visit(answer);
  const holder = pick(random, holders);
  const names = Object.keys(holder);
  if (names.length > 0) holder[pick(random, names)] = pick(random, WRONG);
  return answer;
}

const NODES = [
  formatNodeId('Page', ['one']),
  formatNodeId('Audience', ['one', 'two']),
  formatNodeId('AudienceVersion', ['one', 'two', 'three']),
  formatNodeId('Person', ['one']),
  formatNodeId('PersonLog', ['one', 'two']),
  formatNodeId('Account', ['one']),
  formatNodeId('AccountLog', ['one', 'two']),
  formatNodeId('Topic', ['one']),
];
const NAMES = ['one', 'two', 'three', 'a/b', 'ü'];

const VALUES = {
  pageId: NAMES,
  audienceId: NAMES,
  versionId: NAMES,
  personId: NAMES,
  accountId: NAMES,
  topicId: NAMES,
  query: ['a b', '&limit=1000'],
  path: ['/pricing'],
  id: NODES,
  ids: NODES,
};

/** A valid query, the same for the same seed. */
export const queryOf = (seed: number): RandomQuery =>
  randomQuery(seed, { schema, values: VALUES, depth: 6 });

const hash = (value: string): number => createHash('sha256').update(value).digest().readUInt32BE();

const pick = <T>(random: () => number, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)]!;
