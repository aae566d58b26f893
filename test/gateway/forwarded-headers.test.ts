/**
 * `FORWARD_HEADERS`: callers' headers that are sent to the backend, and what callers with other headers still share.
 *
 * The backend of these tests returns `authorization` in its response, which so shows which caller it is for.
 */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import type { RequestScope } from '../../src/rest/client/client.ts';
import { USER_AGENT } from '../../src/rest/upstream.ts';
import { routes } from '../../src/v0/routes.ts';
import { held, ok, status, type Seen } from '../support/faults.ts';
import { KEY, OTHER_KEY, POST_JSON, send } from '../support/client.ts';
import { openGateway, type InProcessOptions } from '../support/open-gateway.ts';
import { openRest, outcome } from '../rest/open-rest.ts';
import { FAST, openEvents, openSocket } from '../live/support.ts';
import { sampleOf, world } from '../support/world.ts';
import { until } from '../support/until.ts';

const open = (options: InProcessOptions = {}) =>
  openGateway({
    ...options,
    backend: 'faulty',
    headers: { forward: ['authorization', 'accept-language', 'x-forwarded-for'] },
  });

const PERSON = 'GET /v0/persons/p';
const QUERY = '{ person(personId: "p") { name } }';

/** A person whose name is the forwarded `authorization`. */
const named = ok((seen: Seen) => ({
  ...sampleOf(routes.getPerson, { person_id: 'p' }),
  name: seen.headers.authorization ?? 'nobody',
}));

const asUser = (name: string) => ({ headers: { authorization: name } });

describe('a forwarded header', () => {
  it('is sent with each call, and no other header is', async () => {
    const site = await open();
    site.upstream.on('*', world());

    await site.ask(
      '{ person(personId: "p") { name account { name } } topics(first: 1) { nodes { id } } }',
      {
        headers: {
          authorization: 'Bearer of-ada',
          'accept-language': 'de',
          'x-forwarded-for': '192.0.2.1, 10.0.0.1',
          cookie: 'session=1',
          'x-other': 'y',
        },
      },
    );

    expect(site.upstream.seen.length).toBeGreaterThan(1);
    for (const { headers } of site.upstream.seen) {
      expect(headers).toMatchObject({
        authorization: 'Bearer of-ada',
        'accept-language': 'de',
        'x-forwarded-for': '192.0.2.1, 10.0.0.1',
        'x-api-key': KEY,
      });
      expect(headers).not.toHaveProperty('cookie');
      expect(headers).not.toHaveProperty('x-other');
    }
  });

  it('is sent with mutations and with queries by GET', async () => {
    const site = await open();

    await site.ask(
      'mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) { userErrors { message } } }',
      {
        ...asUser('writer'),
        variables: { input: { id: formatNodeId('Topic', ['t']), title: 'New' } },
      },
    );
    const url = `${site.url}/graphql?query=${encodeURIComponent(QUERY)}`;
    await send(url, { headers: { 'x-api-key': KEY, authorization: 'reader' } });

    expect(
      site.upstream.seen.map(({ method, headers }) => [method, headers.authorization]),
    ).toEqual([
      ['PATCH', 'writer'],
      ['GET', 'reader'],
    ]);
  });

  it('replaces the User-Agent of the gateway', async () => {
    const headers = { headers: { 'user-agent': 'app/1' } };
    const plain = await open();
    const forwarding = await openGateway({
      backend: 'faulty',
      headers: { forward: ['user-agent'] },
    });

    const agents = [];
    for (const site of [plain, forwarding]) {
      await site.ask(QUERY, headers);
      agents.push(site.upstream.seen[0]!.headers['user-agent']);
    }

    expect(agents).toEqual([USER_AGENT, 'app/1']);
  });

  it('is not sent unless FORWARD_HEADERS lists it', async () => {
    const site = await openGateway({ backend: 'faulty' });

    await site.ask(QUERY, asUser('ada'));

    expect(site.upstream.seen[0]!.headers).not.toHaveProperty('authorization');
  });

  it('is rejected with 431 when all forwarded headers together exceed the limit for a call', async () => {
    const site = await open();

    const reply = await site.ask(QUERY, {
      headers: { authorization: 'x'.repeat(5_990), 'accept-language': 'de' },
    });

    expect(reply.status).toBe(431);
    expect(reply.codes).toEqual(['HEADERS_TOO_LARGE']);
    expect(reply.errors[0].message).toMatch(
      /authorization, accept-language, x-forwarded-for .*\b6000\b/,
    );
    expect(site.upstream.hits()).toBe(0);
  });
});

describe('clients with the same key and different forwarded headers', () => {
  it('do not share a read in flight, unlike clients with equal headers', async () => {
    const site = await open();
    const late = held(named);
    site.upstream.on(PERSON, late.behaviour);

    const users = ['ada', 'bob', 'ada', 'bob', 'ada'];
    const asked = users.map((name) => site.ask(QUERY, asUser(name)));
    const without = site.ask(QUERY);
    await until(() => site.upstream.hits() === 3);
    late.release();

    const replies = await Promise.all([...asked, without]);
    expect(replies.map(({ data }) => data.person.name)).toEqual([...users, 'nobody']);
    expect(site.upstream.hits()).toBe(3);
  });

  it('are distinguished by names and values, not by their concatenation', async () => {
    const site = await open();
    const late = held(named);
    site.upstream.on(PERSON, late.behaviour);

    const asked = [
      site.ask(QUERY, { headers: { authorization: 'x', 'accept-language': 'y' } }),
      site.ask(QUERY, { headers: { authorization: 'xy', 'accept-language': '' } }),
      site.ask(QUERY, { headers: { authorization: 'y', 'accept-language': 'x' } }),
      site.ask(QUERY, { headers: { 'accept-language': 'xy' } }),
    ];
    await until(() => site.upstream.hits() === 4);
    late.release();

    const replies = await Promise.all(asked);
    expect(replies.map(({ data }) => data.person.name)).toEqual(['x', 'xy', 'y', 'nobody']);
  });

  it('get their own responses to consecutive requests', async () => {
    const site = await open();
    site.upstream.on(PERSON, named);

    for (const name of ['ada', 'ada', 'ada', 'bob', 'ada', 'bob']) {
      const { data } = await site.ask(QUERY, asUser(name));
      expect(data.person.name).toBe(name);
    }
  });

  it('are not rate limited when the backend rate-limits one of them', async () => {
    const site = await open({ limits: { requestTimeoutMs: 1_500 } });
    const limits = status(429, { 'retry-after': '30' });
    site.upstream.on(PERSON, (response, seen, socket) =>
      (seen.headers.authorization === 'busy' ? limits : named)(response, seen, socket),
    );

    const first = await site.ask(QUERY, asUser('busy'));
    const again = await site.ask(QUERY, asUser('busy'));
    const other = await site.ask(QUERY, asUser('ada'));

    expect([first.codes, again.codes]).toEqual([['RATE_LIMITED'], ['RATE_LIMITED']]);
    expect(other.data.person.name).toBe('ada');
    expect(site.upstream.hits()).toBe(2);
  });

  it('keep a key accepted if the backend rejects one of them, but not if it rejects the key alone', async () => {
    const { backend, client, upstream } = await openRest();
    backend.on(PERSON, named, status(401));
    const ask = (scope: Partial<RequestScope>) =>
      outcome(client(scope).call(routes.getPerson, { path: { person_id: 'p' } }));
    await ask({});

    await ask({ forwarded: ['authorization', 'stranger'] });
    const isAccepted = upstream.isAccepted('key-a');
    await ask({});

    expect(isAccepted).toBe(true);
    expect(upstream.isAccepted('key-a')).toBe(false);
  });

  it('are distinguished by caches through Vary', async () => {
    const site = await open();
    site.upstream.on(PERSON, named);

    const url = `${site.url}/graphql?query=${encodeURIComponent(QUERY)}`;
    const { headers } = await send(url, { headers: { ...POST_JSON, 'x-api-key': KEY } });

    expect(headers.get('vary')).toBe(
      'x-api-key, accept, accept-encoding, authorization, accept-language, x-forwarded-for',
    );
  });
});

const VERSION_ROUTE = 'GET /v0/pages/p/audiences/a/versions/v';
const ID = formatNodeId('AudienceVersion', ['p', 'a', 'v']);

/** A version whose status is the forwarded `authorization`. */
const inState = ok((seen: Seen) => ({
  ...sampleOf(routes.getVersion, { page_id: 'p', audience_id: 'a', version_id: 'v' }),
  status: seen.headers.authorization ?? 'pending',
}));

describe('subscribers to the same version with the same key', () => {
  it('share a poller only with equal forwarded headers, over server-sent events', async () => {
    const site = await open({ live: FAST });
    site.upstream.on(VERSION_ROUTE, inState);

    const watch = (authorization: string) =>
      openEvents(site.url, { id: ID }, { apiKey: KEY, headers: { authorization } });
    const [one, other, same] = [await watch('draft'), await watch('queued'), await watch('draft')];
    await until(() => [one, other, same].every(({ events }) => events.length > 0));

    expect([one, other, same].map(({ events }) => statusOf(events[0]))).toEqual([
      'draft',
      'queued',
      'draft',
    ]);
    expect(site.gateway.pollers).toMatchObject({ size: 2, watchers: 3 });
  });

  it('send headers with the upgrade of a WebSocket, and only authorization with connection_init', async () => {
    const site = await open({ live: FAST });
    site.upstream.on(VERSION_ROUTE, inState);

    const byUpgrade = await openSocket(site.url, {
      payload: { 'x-api-key': KEY, authorization: 'queued' },
      headers: { authorization: 'draft' },
    });
    const byPayload = await openSocket(site.url, {
      payload: { 'x-api-key': KEY, authorization: 'queued', 'x-forwarded-for': 'forged' },
    });
    for (const socket of [byUpgrade, byPayload]) socket.subscribe('s', { id: ID });
    await until(() => [byUpgrade, byPayload].every((one) => one.received('next').length > 0));

    expect([byUpgrade, byPayload].map((one) => statusOf(one.received('next')[0]!.payload))).toEqual(
      ['draft', 'queued'],
    );
    // Headers that proxies set are not read from a message.
    expect(site.upstream.seen.map(({ headers }) => headers['x-forwarded-for'])).not.toContain(
      'forged',
    );
  });

  it.each([7, '', 'two\nlines', 'ä'])(
    'are closed with 4403 for the authorization %j in connection_init',
    async (value) => {
      const site = await open({ live: FAST });

      const socket = await openSocket(site.url, {
        payload: { 'x-api-key': OTHER_KEY, authorization: value },
      });

      expect(await socket.closed).toBe(4403);
    },
  );
});

const statusOf = (event: any): string =>
  event.data.audienceVersionProgress.audienceVersion.status as string;
