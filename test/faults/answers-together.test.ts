/**
 * T106: answers that come together: what follows from them must not be one long turn of the event loop.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createUpstream } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import { answerWith } from '../bench/instant-dispatcher.ts';
import { person } from '../rest/open-rest.ts';

it('T106 handles sixty large answers of one moment in several turns, with that of another key between them', async () => {
  const people = Array.from({ length: 2_000 }, (_, i) => person(`p${i}`));
  const large = { items: people, totalCount: 2_000, hasMore: false, nextCursor: null };
  const body = Buffer.from(JSON.stringify(large));
  // Sockets would spread the answers over turns of their own.
  const held: (() => void)[] = [];
  const upstream = createUpstream({
    dispatcher: {
      dispatch: ({ path }, handler) => {
        const isList = path.includes('cursor');
        const answer = isList ? body : Buffer.from(JSON.stringify(person('p')));
        held.push(() => answerWith(handler, 200, answer));
        return true;
      },
      close: async () => {},
    },
    pathPrefix: '',
    routeSet: 'extended',
    // All have come long before; the last are handled long after.
    timeoutMs: 100,
    maxResponseBytes: 5_000_000,
  });
  const ended: string[] = [];
  const clientOf = (apiKey: string) => upstream({ apiKey, requestId: apiKey });
  const greedy = clientOf('greedy');
  const asked = Array.from({ length: 60 }, (_, i) =>
    greedy.call(routes.listPersons, { query: { cursor: `c${i}` } }).then(() => ended.push('list')),
  );
  const other = clientOf('other')
    .call(routes.getPerson, { path: { person_id: 'p' } })
    .then(() => ended.push('other'));
  while (held.length < 61) await nextTurn();

  let turns = 0;
  const counter = setInterval(() => (turns += 1));
  for (const answer of held) answer();
  await Promise.all([other, ...asked]);
  clearInterval(counter);

  expect(turns).toBeGreaterThan(3);
  expect(ended.indexOf('other')).toBeLessThan(30);
});
