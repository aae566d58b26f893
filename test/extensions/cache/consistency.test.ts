/** The response cache as callers see it: explained, counted, and never older than the write that a token names. */
import { describe, expect, it } from 'vitest';
import { caching } from '../../../src/extensions/cache/cache.extension.ts';
import { ResponseCache } from '../../../src/extensions/cache/response-cache.ts';
import { EXAMPLE_API_KEY } from '../../../src/backend/seed/example.ts';
import type { ReadCache } from '../../../src/rest/call/options.ts';
import { formatNodeId } from '../../../src/graph/types/node-id.ts';
import { routes } from '../../../src/v0/routes.ts';
import { ID, openBackend } from '../redis/support.ts';
import { openEvents, statusesOf } from '../../live/support.ts';
import { IDS } from '../../support/ids.ts';
import {
  openGateway,
  type InProcessGateway,
  type InProcessOptions,
} from '../../support/open-gateway.ts';
import { until } from '../../support/until.ts';

const reads = [routes.getTopic, routes.getVersion];
const TTLS = new Map(reads.map(({ path }) => [path, 60_000]));
const openCached = (options: InProcessOptions = {}) => {
  const cache = new ResponseCache({ maxBytes: 1_000_000, ttls: TTLS });
  const extension = { ...caching(cache), calls: { cache: beforeSilent(cache) } };
  return openGateway({ ...options, extensions: [extension] });
};

/** A cache before a backend that says nothing about caching, as the embedded one would. */
const beforeSilent = (cache: ReadCache): ReadCache => ({
  read(flight) {
    const fetch = flight.fetch.bind(flight);
    flight.fetch = async () => {
      const settled = await fetch();
      if (!(settled instanceof Error)) delete settled.headers['cache-control'];
      return settled;
    };
    return cache.read(flight);
  },
});

const QUERY = `{ topic(topicId: "${IDS.topic}") { title } }`;
const titleOf = ({ data }: { data: any }) => data.topic.title as string;

/** @returns the token of the write. */
async function rename(gateway: InProcessGateway, title: string): Promise<string | null> {
  const id = (await gateway.ask(`{ topic(topicId: "${IDS.topic}") { id } }`)).data.topic.id;
  const { data, headers } = await gateway.ask(
    'mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) { topic { title } userErrors { message } } }',
    { variables: { input: { id, title } } },
  );
  expect(data.updateTopic.userErrors).toEqual([]);
  return headers.get('x-consistency');
}

it('a cached response is reported and counted as cached, and planned as one call', async () => {
  const gateway = await openCached();
  await gateway.ask(QUERY);

  const explained = await gateway.ask(QUERY, { headers: { 'x-explain': 'true' } });
  const { calls, rounds, journal } = explained.extensions['upstream'];
  const planned = await gateway.ask(QUERY, { headers: { 'x-explain': 'plan' } });

  expect(gateway.restCalls).toEqual([]);
  expect({ calls, rounds }).toEqual({ calls: 0, rounds: 0 });
  expect(journal).toMatchObject([{ source: 'cached', status: 200, route: routes.getTopic.path }]);
  expect(planned.extensions['plan'].calls).toEqual({ least: 1, most: 1 });
  const labels = ['source="cached"', `route="${routes.getTopic.path}"`, 'status="200"'];
  expect(await gateway.metric('gateway_upstream_calls_total', ...labels)).toBe(1);
});

describe('x-consistency', () => {
  it.each(['text/event-stream', 'multipart/mixed'])(
    'is a header of a mutation response in %s',
    async (accept) => {
      const gateway = await openCached({ fresh: true });
      const query = `mutation { updateTopic(input: { id: "${formatNodeId('Topic', [IDS.topic])}", title: "New" }) { topic { title } } }`;

      const headers = { accept, 'x-api-key': EXAMPLE_API_KEY };
      const reply = await gateway.post({ query }, headers);

      expect(reply.text).toContain('"title":"New"');
      expect(reply.headers.get('x-consistency')).toMatch(/^[\w.-]{1,64}$/);
    },
  );

  it('is a header of mutation responses, not of query responses', async () => {
    const gateway = await openCached({ fresh: true });

    const token = await rename(gateway, 'New');
    const { headers } = await gateway.ask(QUERY);

    expect(token).toMatch(/^[\w.-]{1,64}$/);
    expect(headers.get('x-consistency')).toBeNull();
  });

  it('makes another process query the backend, and lets its own process use a response read since the write', async () => {
    const gateway = await openCached({ fresh: true });
    const other = await openCached({ backend: new URL(gateway.backendUrl) });
    await other.ask(QUERY, { apiKey: 'demo' });
    const token = await rename(gateway, 'New');
    const headers = { 'x-consistency': token! };

    expect(titleOf(await other.ask(QUERY, { apiKey: 'demo' }))).not.toBe('New');
    expect(titleOf(await other.ask(QUERY, { apiKey: 'demo', headers }))).toBe('New');
    expect(titleOf(await gateway.ask(QUERY, { headers }))).toBe('New');
    expect(gateway.restCalls).toHaveLength(1);
    expect(titleOf(await gateway.ask(QUERY, { headers }))).toBe('New');
    expect(gateway.restCalls).toEqual([]);
  });

  it.each(['', 'no token: nothing of ours', 'x'.repeat(1_000), '9999999999999999'])(
    'makes the gateway query the backend when it is %j',
    async (token) => {
      const gateway = await openCached();
      await gateway.ask(QUERY);

      await gateway.ask(QUERY, { headers: { 'x-consistency': token } });

      expect(gateway.restCalls).toHaveLength(1);
    },
  );

  it('is listed in Vary of GET responses only with a response cache', async () => {
    const path = `/graphql?query=${encodeURIComponent(QUERY)}`;
    const varyOf = async ({ url }: InProcessGateway) => {
      const headers = {
        'x-api-key': 'demo',
        accept: 'application/json',
        'x-graphql-yoga-csrf': '1',
      };
      return (await fetch(url + path, { headers })).headers.get('vary');
    };

    expect(await varyOf(await openCached())).toContain('x-consistency');
    expect(await varyOf(await openGateway())).not.toContain('x-consistency');
  });

  it('is exposed to allowed origins only with a response cache', async () => {
    const origin = 'http://localhost:5173';
    const http = { corsOrigins: [origin] };
    const readableAt = async (gateway: InProcessGateway) =>
      (await gateway.ask(QUERY, { headers: { origin } })).headers.get(
        'access-control-expose-headers',
      );

    expect(await readableAt(await openCached({ http }))).toContain('x-consistency');
    expect(await readableAt(await openGateway({ http }))).not.toContain('x-consistency');
  });
});

it('a poll of a subscription bypasses the response cache', async () => {
  const backend = await openBackend();
  const gateway = await openCached({
    backend: new URL(backend.url),
    live: { pollMs: { least: 20, most: 20 } },
  });
  const version = `{ audienceVersion(pageId: "p", audienceId: "a", versionId: "v") { status } }`;
  await gateway.ask(version, { apiKey: 'key' });

  const watcher = await openEvents(gateway.url, { id: ID }, { apiKey: 'key' });
  await until(() => watcher.events.length > 0);
  backend.state = 'published';
  await until(() => statusesOf(watcher.events).at(-1) === 'published');
});
