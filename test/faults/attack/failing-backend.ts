/**
 * A backend that fails in part: on one route, for one tenant, in how it frames answers, or in what it
 * answers to writes. Other routes and tenants must be served, and writers must get the true
 * outcome.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { formatNodeId } from '../../../src/graph/types/node-id.ts';
import type { BackendReport, FaultName } from './backend.ts';
import type { Attack, Attacker } from './definition.ts';
import { LEGITIMATE, lookup, VICTIM_KEY, type Question } from './victim.ts';

const FAILING_KEY = 'key-of-a-failing-tenant';
const KEY = 'key-of-an-attacker';

/** For so long a circuit breaker still counts the successes before the attack. */
const WINDOW_SECONDS = 10;

/** A screen of two routes, of which one fails: it is sound when the other's data is there. */
const HALF_SCREEN: Question = {
  kind: 'screen',
  post: (turn) => ({
    query: `query Half($person: ID!, $topic: ID!) {
      person(personId: $person) { personId name } topic(topicId: $topic) { title } }`,
    variables: { person: `v${turn}`, topic: `v${turn}` },
    key: VICTIM_KEY,
  }),
  isSound: (body) => body.data?.person?.name === 'name',
};

const oneRoute = (does: FaultName): Attack => ({
  point: 3,
  name: `one route of two: ${does}`,
  faults: [{ route: '^GET /v0/topics/', does }],
  leastSeconds: WINDOW_SECONDS + 4,
  victim: { perSecond: 33, mix: [HALF_SCREEN] },
});

/** A victim that asks so seldom that most of what the gateway sees is the failing tenant. */
const oneTenant = (everyMs: number): Attack => ({
  point: 3,
  name: `one tenant fails, another asks every ${everyMs} ms`,
  faults: [{ route: '^GET /v0/persons/', key: FAILING_KEY, does: 'status 500' }],
  leastSeconds: WINDOW_SECONDS + 10,
  victim: { perSecond: 1_000 / everyMs, mix: [lookup()] },
  run: ({ loop, ask }) => {
    let turn = 0;
    return loop(8, async () => {
      const query = `{ person(personId: "f${turn++}") { name } }`;
      await ask({ query, key: FAILING_KEY });
      await sleep(20);
    });
  },
});

const WRITE =
  'mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) { topic { title } userErrors { code } } }';

/** How a write was answered: `ok`, or the code of the error. */
type Outcome = string;

/** Writes a title that no other write has, and notes the outcome by title. */
async function write(
  { ask }: Attacker,
  topicId: string,
  title: string,
  told: Map<string, Outcome>,
): Promise<void> {
  told.set(title, 'nothing');
  const input = { id: formatNodeId('Topic', [topicId]), title };
  const { text } = await ask({ query: WRITE, variables: { input }, key: KEY });
  const { data, errors } = JSON.parse(text) as Record<string, any>;
  const answered = data?.updateTopic?.topic?.title === title ? 'ok' : 'no data';
  told.set(title, errors?.[0]?.extensions?.code ?? answered);
}

/** Compares the outcomes that writers got with what the backend did. */
async function judge(
  { backendUrl, count, wrong }: Attacker,
  told: ReadonlyMap<string, Outcome>,
  expected: Outcome,
): Promise<void> {
  const response = await fetch(`${backendUrl}/control`);
  const { writes } = (await response.json()) as BackendReport; // backend.ts writes it with this type
  for (const [title, code] of told) {
    const times = writes[title] ?? 0;
    if (code === 'nothing') continue;
    count(`told ${code}`);
    if (times > 1) wrong(`A write was carried out ${times} times and told ${code}.`);
    else if (times === 1 && code === 'UPSTREAM_UNAVAILABLE')
      wrong('A write was carried out, and its caller told that it surely was not.');
    else if (times === 0 && code === 'ok')
      wrong('A write was not carried out, and its caller told that it was.');
    else if (times === 0 && expected === 'ok')
      wrong(`A write was lost by a backend that is well, and its caller told ${code}.`);
    else if (times === 0 && code === 'UPSTREAM_UNAVAILABLE')
      count('truly not carried out'); // the circuit breaker is open
    else if (code !== expected) wrong(`The caller of a write was told ${code}, not ${expected}.`);
  }
}

/** So many callers write titles, and pause after each; then the outcomes are compared. */
const writing =
  (callers: number, pauseMs: () => number, expected: Outcome) => async (attacker: Attacker) => {
    const told = new Map<string, Outcome>();
    await attacker.loop(callers, async () => {
      const title = `title-${told.size}`;
      await write(attacker, title, title, told);
      await sleep(pauseMs());
    });
    await judge(attacker, told, expected);
  };

const brokenWrites = (does: FaultName): Attack => ({
  point: 14,
  name: `writes are carried out, then ${does}`,
  faults: [{ route: '^PATCH ', does }],
  run: writing(4, () => 50, 'OUTCOME_UNKNOWN'),
});

export const attacks: readonly Attack[] = [
  oneRoute('status 500'),
  oneRoute('status 503'),
  oneRoute('silence'),
  oneRoute('reset'),
  oneTenant(400),
  oneTenant(1_500),
  {
    point: 10,
    name: 'answers of empty objects on many paths',
    faults: [{ route: '/logs/', key: KEY, does: 'empty objects' }],
    returnsMemory: true,
    run: ({ loop, ask }) => {
      let turn = 0;
      return loop(8, async () => {
        const id = formatNodeId('PersonLog', [`e${turn++}`, 'l']);
        const query = `{ node(id: "${id}") { ... on PersonLog { type } } }`;
        // The decode cache keeps an answer that has come twice, and freezes it at the third use.
        for (let i = 0; i < 3; i++) await ask({ query, key: KEY });
      });
    },
  },
  {
    point: 13,
    name: '1xx before every answer',
    faults: [{ route: '', does: 'hints' }],
    run: writing(4, () => 50, 'ok'),
  },
  {
    point: 13,
    name: '206 in place of 200',
    faults: [{ route: '^GET /v0/persons/partial', does: 'partial' }],
    run: ({ loop, ask, count, wrong }) => {
      let turn = 0;
      return loop(4, async () => {
        const query = `{ person(personId: "partial${turn++}") { name } }`;
        const { text } = await ask({ query, key: KEY });
        if (text.includes('"name":"name"')) wrong('A part was taken for the whole.');
        else count('refused');
        await sleep(50);
      });
    },
  },
  brokenWrites('status 500'),
  brokenWrites('empty body'),
  brokenWrites('broken body'),
  {
    point: 14,
    name: 'idle connections are closed under writes',
    backend: { closesIdleAfterMs: 12, latencyMs: 2 },
    victim: { ...LEGITIMATE, perSecond: 4 },
    run: writing(8, () => 9 + Math.random() * 6, 'ok'),
  },
];
