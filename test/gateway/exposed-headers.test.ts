/** `EXPOSE_HEADERS`: headers of the backend's responses that callers receive, and of which response. */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { OTHER_KEY } from '../support/client.ts';
import { after, held, ok, status } from '../support/faults.ts';
import { openGateway, type InProcessOptions } from '../support/open-gateway.ts';
import { sampleOf, world } from '../support/world.ts';

const open = (options: InProcessOptions = {}) =>
  openGateway({ headers: { expose: ['x-left', 'x-region'] }, ...options, backend: 'faulty' });

const QUERY = '{ person(personId: "p") { name } }';
const PERSON = 'GET /v0/persons/p';
const person = (id: string) => sampleOf(routes.getPerson, { person_id: id });
const personWith = (left: string, id = 'p') =>
  ok(person(id), { 'x-left': left, 'x-other': 'kept' });

describe('an exposed backend header', () => {
  it('is returned to the client, and no other header is', async () => {
    const site = await open();
    site.upstream.on(PERSON, personWith('41'));

    const { headers, data } = await site.ask(QUERY);

    expect(data).toEqual({ person: { name: person('p').name } });
    expect([headers.get('x-left'), headers.get('x-region'), headers.get('x-other')]).toEqual([
      ...['41', null, null],
    ]);
  });

  it('that is repeated is returned as one list', async () => {
    const site = await open();
    site.upstream.on(PERSON, ok(person('p'), { 'x-left': ['41', '7'] }));

    const { headers } = await site.gateway.fetch(
      new Request('http://gateway/graphql', {
        method: 'POST',
        headers: { 'x-api-key': 'demo', 'content-type': 'application/json' },
        body: JSON.stringify({ query: QUERY }),
      }),
    );

    expect(headers.get('x-left')).toBe('41, 7');
  });

  it('can have the name of another header as its value', async () => {
    const site = await open();
    site.upstream.on(PERSON, personWith('vary'));

    const { headers } = await site.ask(QUERY);

    expect([headers.get('x-left'), headers.get('vary')]).toEqual(['vary', null]);
  });

  it('is absent when no headers are configured', async () => {
    const site = await open({ headers: {} });
    site.upstream.on(PERSON, personWith('41'));

    expect((await site.ask(QUERY)).headers.get('x-left')).toBeNull();
  });

  it('has the value from the call that completed last, separately for each name', async () => {
    const site = await open({ rest: { timeoutMs: 20_000 } });
    const late = held(personWith('later'));
    site.upstream.on(PERSON, late.behaviour);
    site.upstream.on(
      'GET /v0/persons/q',
      ok(person('q'), { 'x-left': 'sooner', 'x-region': 'eu' }),
    );

    const asked = site.ask(
      '{ a: person(personId: "p") { name } b: person(personId: "q") { name } }',
    );
    await expect.poll(() => site.metric('gateway_upstream_calls_total')).toBe(1);
    late.release();
    const { headers } = await asked;

    expect([headers.get('x-left'), headers.get('x-region')]).toEqual(['later', 'eu']);
  });

  it('is returned when the backend returns 403, 404, 429 or 500', async () => {
    const site = await open();
    for (const code of [403, 404, 429, 500]) {
      site.upstream.on(PERSON, status(code, { 'x-left': String(code) }));
      expect((await site.ask(QUERY)).headers.get('x-left')).toBe(String(code));
    }
  });

  it('is returned for a mutation', async () => {
    const site = await open();
    site.upstream.on('PATCH /v0/topics/t', async (response, seen, socket) => {
      response.setHeader('x-left', '7');
      await world()(response, seen, socket);
    });

    const { headers, data } = await site.ask(
      `mutation { updateTopic(input: { id: "${formatNodeId('Topic', ['t'])}", title: "new" }) { userErrors { code } } }`,
    );

    expect(data.updateTopic.userErrors).toEqual([]);
    expect(headers.get('x-left')).toBe('7');
  });

  it('is returned to all clients that share a read, and to no other key', async () => {
    const site = await open({ rest: { timeoutMs: 20_000 } });
    const late = held(personWith('one'));
    site.upstream.on(PERSON, (response, seen, socket) =>
      seen.headers['x-api-key'] === OTHER_KEY
        ? personWith('two')(response, seen, socket)
        : late.behaviour(response, seen, socket),
    );

    const sharing = [site.ask(QUERY), site.ask(QUERY)];
    await expect.poll(() => site.metric('gateway_requests_in_flight')).toBe(2);
    const other = await site.ask(QUERY, { apiKey: OTHER_KEY });
    late.release();
    const left = (await Promise.all(sharing)).map(({ headers }) => headers.get('x-left'));

    expect([left, other.headers.get('x-left')]).toEqual([['one', 'one'], 'two']);
    expect(site.upstream.seen).toHaveLength(2);
  });

  it('comes from the newest response, even if its body is unchanged', async () => {
    const site = await open();
    site.upstream.on(PERSON, personWith('3'), personWith('2'), personWith('1'), personWith('0'));

    const seen: (string | null)[] = [];
    for (let i = 0; i < 4; i++) seen.push((await site.ask(QUERY)).headers.get('x-left'));

    expect(seen).toEqual(['3', '2', '1', '0']);
  });

  it('is omitted when its value is not ASCII, and joined when it is repeated', async () => {
    const site = await open();
    site.upstream.on(PERSON, ok(person('p'), { 'x-left': 'gr\u00fcn', 'x-region': ['a', 'b'] }));

    const { headers, data } = await site.ask(QUERY);

    expect(data).toEqual({ person: { name: person('p').name } });
    expect([headers.get('x-left'), headers.get('x-region')]).toEqual([null, 'a, b']);
  });

  it('is returned with the first part of an incremental response', async () => {
    const site = await open();
    site.upstream.on(PERSON, personWith('41'));
    // Delay the second part, which would be part of the first one otherwise.
    site.upstream.on('GET /v0/pages/p/audiences', after(500, world()));

    const { headers, text } = await site.ask(
      '{ person(personId: "p") { name } page(pageId: "p") { ... @defer { audiences { totalCount } } } }',
      { headers: { accept: 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9' } },
    );

    expect(text).toContain('"hasNext":true');
    expect(headers.get('x-left')).toBe('41');
  });

  it('is listed in Access-Control-Expose-Headers for an allowed origin', async () => {
    const origin = 'http://localhost:5173';
    const site = await open({ http: { corsOrigins: [origin] } });

    const { headers } = await site.ask(QUERY, { headers: { origin } });

    expect(headers.get('access-control-expose-headers')).toBe(
      'x-request-id, server-timing, retry-after, x-left, x-region',
    );
  });
});
