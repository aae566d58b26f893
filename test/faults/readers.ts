/**
 * Readers that know the exact responses to their queries.
 *
 * Every query has a new id and every reader its own key, so that nothing is shared and a response for another
 * reader is noticed.
 */
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import type { Callers, Heard } from './callers.ts';

interface Screen {
  readonly source: string;
  readonly variables: (id: string) => unknown;
  /** The response of `world()` for this id. */
  readonly data: (id: string) => unknown;
  /** The number of REST calls. */
  readonly calls: number;
}

const person = (id: string) => ({ personId: id, name: 'name' });

const SCREENS: readonly Screen[] = [
  {
    source: 'query ($id: ID!) { person(personId: $id) { personId name email } }',
    variables: (id) => ({ id }),
    data: (id) => ({ person: { ...person(id), email: 'email' } }),
    calls: 1,
  },
  {
    source: 'query ($id: ID!) { topic(topicId: $id) { topicId title entries { totalCount } } }',
    variables: (id) => ({ id }),
    data: (id) => ({ topic: { topicId: id, title: 'title', entries: { totalCount: 2 } } }),
    calls: 1,
  },
  {
    source: `query ($id: ID!) { page(pageId: $id) { pageId name audiences(first: 2) {
      totalCount nodes { pageId effectiveName person { personId name } } } } }`,
    variables: (id) => ({ id }),
    data: (id) => {
      const nodes = [0, 1].map((i) => ({
        pageId: id,
        effectiveName: 'effectiveName',
        person: person(`personId-${i}`),
      }));
      return { page: { pageId: id, name: 'name', audiences: { totalCount: 2, nodes } } };
    },
    calls: 4,
  },
  {
    source: `query ($id: ID!) { account(accountId: $id) { accountId name
      logs(first: 2) { nodes { accountLogId } } } }`,
    variables: (id) => ({ id }),
    data: (id) => {
      const nodes = [0, 1].map((i) => ({ accountLogId: `accountLogId-${i}` }));
      return { account: { accountId: id, name: 'name', logs: { nodes } } };
    },
    calls: 2,
  },
  {
    source: 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Person { personId name } } }',
    variables: (id) => ({
      ids: [`${id}a`, `${id}b`, `${id}a`].map((one) => formatNodeId('Person', [one])),
    }),
    data: (id) => ({ nodes: [person(`${id}a`), person(`${id}b`), person(`${id}a`)] }),
    calls: 2,
  },
];

export interface Read {
  readonly heard: readonly Heard[];
  /** The reader of each response. */
  readonly readers: readonly number[];
  /** Wrong responses, as text. */
  readonly wrong: readonly string[];
  /** The number of REST calls of all of them. */
  readonly calls: number;
}

let asked = 0;

/** Runs `count` readers until each has `times` responses. */
export async function readAll(callers: Callers, count: number, times: number): Promise<Read> {
  const heard: Heard[] = [];
  const readers: number[] = [];
  const wrong: string[] = [];
  let calls = 0;
  const answers = Array.from({ length: count }, () => 0);
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  await callers.loop(count, ended, async (caller) => {
    const turn = asked++;
    const screen = SCREENS[turn % SCREENS.length]!;
    const id = `r${turn}`;
    const variables = screen.variables(id);
    const one = await callers.ask(screen.source, { variables, apiKey: `reader-${caller}` });
    heard.push(one);
    readers.push(caller);
    answers[caller]! += 1;
    if (Math.min(...answers) >= times) end();
    calls += screen.calls;
    const told = JSON.stringify(one.body);
    if (told !== JSON.stringify({ data: screen.data(id) })) wrong.push(`${one.status} ${told}`);
  });
  return { heard, readers, wrong, calls };
}
