/** The attacks: what an operator has to expect besides honest callers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { costly, cycle, manyCycles, oneCycle, pages } from './costly.ts';
import { INVENTED, type Attack, type Attacker, type Post } from './definition.ts';

const KEY = 'key-of-an-attacker';

/** So many callers who ask again as soon as they get responses, another request each time. */
const repeating =
  (callers: number, post: (turn: number) => Post): Attack['run'] =>
  ({ loop, ask }) => {
    let turn = 0;
    return loop(callers, () => ask(post(turn++)));
  };

const numbers = Array.from({ length: 20 }, (_, i) => i);
const TWENTY = `query (${numbers.map((i) => `$v${i}: ID!`).join(' ')}) { ${numbers
  .map((i) => `p${i}: person(personId: $v${i}) { name }`)
  .join(' ')} }`;

/** Twenty lookups of objects that no other request requests. */
const twenty =
  (key: (turn: number) => string) =>
  (turn: number): Post => ({
    query: TWENTY,
    variables: Object.fromEntries(numbers.map((i) => [`v${i}`, `a${turn}-${i}`])),
    key: key(turn),
  });

const heavy = twenty(() => KEY);

const invented = (turn: number): string => `${INVENTED}${turn}`;

const lookup = (turn: number, key: string): Post => ({
  query: `query L($id: ID!) { person(personId: $id) { name email } }`,
  variables: { id: `l${turn}` },
  key,
});

/** A response of some hundred kilobytes for a request of 200 bytes. */
const largeAnswer = (turn: number): Post => ({
  query: `{ page(pageId: "p${turn}") { audiences(first: 20) { nodes { page { audiences(first: 100) {
    nodes { id computedName effectiveName status createdAt pageId audienceId } } } } } } }`,
  key: KEY,
});

/** Forty audiences forty times, with 18 fields each: 30,000 values of one call. */
const THIRTY_THOUSAND = `query ($id: ID!) { page(pageId: $id) { audiences(first: 40) { nodes { page { audiences(first: 100) {
  nodes { id audienceId pageId computedName effectiveName customName createdAt archivedAt status personId
    isNewPageAgent actionUrlOverride actionFormIdOverride a: id b: audienceId c: createdAt d: status e: pageId } } } } } } }`;

const thirtyThousandValues = (turn: number): Post => ({
  query: THIRTY_THOUSAND,
  variables: { id: `p${turn}` },
  key: KEY,
});

/** 64,000 objects, which are counted until there are too many. */
const TOO_LARGE = `query ($id: ID!) { page(pageId: $id) { ${cycle(3, 'id')} } }`;

const tooLarge = (turn: number): Post => ({
  query: TOO_LARGE,
  variables: { id: `p${turn}` },
  key: KEY,
});

const TRUSTED = new URL('../../src/client/generated/', import.meta.url);

const WATCH = 'subscription ($id: ID!) { audienceVersionProgress(id: $id) { isFinal } }';

const watching = (turn: number) => ({
  query: WATCH,
  variables: { id: formatNodeId('AudienceVersion', ['p', 'a', `v${turn % 50}`]) },
  key: KEY,
});

/** Opens a stream of events and leaves soon. */
async function watchAndLeave({ ask }: Attacker, turn: number): Promise<void> {
  await ask({ ...watching(turn), accept: 'text/event-stream' }, AbortSignal.timeout(50));
}

/** Left before it is open: `ws` shows it by an event that would end this process. */
class QuietSocket extends WebSocket {
  constructor(url: string, protocol: string) {
    super(url, protocol);
    this.on('error', () => {});
  }
}

/** Over one WebSocket: subscribes fifty times, completes half of them, and leaves. */
async function subscribeAndLeave({ url, count }: Attacker): Promise<void> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: QuietSocket,
    connectionParams: { 'x-api-key': KEY },
    retryAttempts: 0,
  });
  const ignore = { next: () => {}, error: () => {}, complete: () => {} };
  for (let i = 0; i < 50; i++) {
    const { query, variables } = watching(i);
    const complete = client.subscribe({ query, variables }, ignore);
    count('request');
    if (i % 2) setTimeout(complete, 20);
  }
  await sleep(100);
  client.terminate();
}

const WRITE =
  'mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) { topic { title } userErrors { code } } }';

/**
 * Reads of a tenant whose routes all fail in their own way, and writes that are applied and get responses
 * wrongly; then what the writers were notified of is compared with what the backend did.
 */
async function useFailingBackend({ ask, loop, backendUrl, count, wrong }: Attacker): Promise<void> {
  const told = new Map<string, string>();
  let turn = 0;
  await loop(8, async (caller) => {
    const id = `f${turn++}`;
    if (caller > 1) {
      const read = caller % 2 ? `page(pageId: "${id}")` : `person(personId: "${id}")`;
      await ask({ query: `{ ${read} { name } }`, key: KEY });
      return;
    }
    const title = `title-${id}`;
    const input = { id: formatNodeId('Topic', [caller ? 'broken' : 'failed']), title };
    const { text } = await ask({ query: WRITE, variables: { input }, key: KEY });
    told.set(title, /"code":"(\w+)"/.exec(text)?.[1] ?? 'ok');
    await sleep(20);
  });
  const response = await fetch(`${backendUrl}/written`);
  const written = (await response.json()) as Record<string, number>; // as backend.ts writes it
  for (const [title, code] of told) {
    const times = written[title] ?? 0;
    count(`write told ${code}`);
    if (times > 1) wrong('A write was applied more than once.');
    // Its circuit is open, or its turn did not come: definitely not applied.
    const isRefusal = code === 'UPSTREAM_UNAVAILABLE' || code === 'UPSTREAM_RATE_LIMITED';
    if (times === 1 && code !== 'OUTCOME_UNKNOWN')
      wrong(
        `A write was applied without a readable response, and its caller was notified of ${code}.`,
      );
    if (times === 0 && !isRefusal)
      wrong(`A write was not applied, and its caller was notified of ${code}.`);
  }
}

export const attacks: readonly Attack[] = [
  {
    name: 'expensive documents',
    requests: costly,
    run: repeating(8, (turn) => {
      const all = Object.values(costly);
      return all[turn % all.length]!(turn);
    }),
  },
  {
    name: 'cycles that multiply a response',
    requests: { 'one cycle': oneCycle, 'many cycles': manyCycles },
    run: repeating(4, (turn) => (turn % 2 ? oneCycle(turn) : manyCycles(turn))),
  },
  {
    name: 'bad JSON',
    requests: { 'bad JSON': () => ({ body: `{"query":${'['.repeat(95_000)}`, key: KEY }) },
    run: repeating(50, (turn) => ({
      body: turn % 2 ? `{"query":"{a${turn}}","variables":{"a":[` : `{"query":${'['.repeat(5_000)}`,
      key: invented(turn),
    })),
  },
  {
    name: 'invented keys, 20 lookups each',
    run: repeating(100, twenty(invented)),
  },
  {
    name: '200 keys at once',
    run: repeating(200, (turn) => lookup(turn, `key-${turn % 200}`)),
  },
  {
    name: 'one heavy key, shed and retried',
    requests: { 'twenty lookups': heavy },
    run: repeating(100, heavy),
  },
  {
    name: 'large responses',
    requests: { 'large response': largeAnswer },
    run: repeating(16, largeAnswer),
  },
  {
    name: 'unknown ids of trusted documents',
    env: { TRUSTED_DOCUMENTS: fileURLToPath(TRUSTED) },
    run: repeating(50, (turn) => ({
      documentId: `sha256:${turn.toString(16).padStart(64, '0')}`,
      key: KEY,
    })),
  },
  {
    name: 'slow lookups of one key',
    backend: { faults: [{ key: KEY, route: '', does: 'slow' }] },
    run: repeating(100, heavy),
  },
  {
    name: 'subscriptions begun and left',
    run: async (attacker) => {
      let turn = 0;
      await attacker.loop(40, (caller) =>
        caller % 2 ? subscribeAndLeave(attacker) : watchAndLeave(attacker, turn++),
      );
    },
  },
  {
    name: 'callers who leave',
    run: ({ loop, ask }) => {
      let turn = 0;
      return loop(200, (caller) =>
        ask(lookup(turn++, `key-${caller % 10}`), AbortSignal.timeout(5 + (caller % 20))),
      );
    },
  },
  {
    name: "a backend that fails one tenant's calls",
    backend: {
      faults: [
        { key: KEY, route: '^GET /v0/pages/', does: 'silence' },
        { key: KEY, route: '^GET /v0/persons/', does: 'reset' },
        { key: KEY, route: '^PATCH .*/broken', does: 'broken body' },
        { key: KEY, route: '^PATCH ', does: 'status 500' },
      ],
    },
    run: useFailingBackend,
  },
  {
    name: 'responses of 30,000 values',
    settles: true,
    run: repeating(300, thirtyThousandValues),
  },
  {
    name: 'new documents of 25 pages',
    requests: { '25 pages with all below them': pages },
    settles: true,
    run: repeating(600, pages),
  },
  {
    name: 'responses that are too large',
    requests: { 'too large': tooLarge },
    settles: true,
    run: repeating(400, tooLarge),
  },
];
