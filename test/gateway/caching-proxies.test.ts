/** What a caching proxy between the gateway and the backend may reuse. */
import { expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { openEvents } from '../live/support.ts';
import { openGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';
import { world } from '../support/world.ts';

const ID = formatNodeId('AudienceVersion', ['p', 'a', 'v']);

it('requests uncached responses only for reads after a write and for polls', async () => {
  const site = await openGateway({ backend: 'faulty' });
  site.upstream.on('*', world());
  const seen = () =>
    site.upstream.seen.map(({ method, headers }) => [method, headers['cache-control']]);
  await site.ask('{ person(personId: "p") { name account { name } } }');
  expect(new Set(seen().map(([, control]) => control))).toEqual(new Set([undefined]));
  const before = seen().length;

  await site.ask(
    'mutation ($id: ID!) { archiveAudience(input: { id: $id }) { audience { person { name } } } }',
    { variables: { id: formatNodeId('Audience', ['p', 'a']) } },
  );
  expect(seen().slice(before)).toEqual([
    ['DELETE', undefined],
    ['GET', 'no-cache'],
  ]);

  const events = await openEvents(site.url, { id: ID }, { apiKey: 'key' });
  await until(() => expect(events.events.length).toBeGreaterThan(0));
  expect(seen().at(-1)).toEqual(['GET', 'no-cache']);
  events.leave();
});
