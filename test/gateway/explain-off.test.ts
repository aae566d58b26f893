/** `EXPLAIN=off`: errors name neither route nor status of the backend over any transport, while metrics still count by route. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { openEvents, openSocket } from '../live/support.ts';
import { KEY } from '../support/client.ts';
import { reset, status, text } from '../support/faults.ts';
import { openGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

const open = (explain: 'on' | 'off' = 'off') =>
  openGateway({ backend: 'faulty', tools: { explain }, rest: { breaker: { volume: 1_000 } } });

const PERSON = '{ person(personId: "p") { name } }';
const WRITE = `mutation { updateTopic(input: { id: "${formatNodeId('Topic', ['t'])}", title: "new" }) { topic { title } userErrors { code } } }`;
const VERSION = formatNodeId('AudienceVersion', ['p', 'a', 'v']);

/** A route template, a method with its path, the extension `upstream`, or the status 418, 429 or 503. */
const DISCLOSED = /\/v0|\{\w+_id\}|(?:GET|PATCH|POST) |"upstream"|"status"|\b(?:418|429|503)\b/;

describe('with EXPLAIN=off', () => {
  it.each([
    ['418', status(418), 'UPSTREAM_INVALID_RESPONSE'],
    ['429', status(429, { 'retry-after': '60' }), 'RATE_LIMITED'],
    ['503', status(503), 'UPSTREAM_UNAVAILABLE'],
    ['a reset', reset(), 'UPSTREAM_UNAVAILABLE'],
    ['a body that is not JSON', text('<html>'), 'UPSTREAM_INVALID_RESPONSE'],
    ['a wrong value', text('{"personId":"p","name":7}'), 'UPSTREAM_INVALID_RESPONSE'],
  ])(
    'a read that gets %s from the backend fails with only a code and is counted by route',
    async (_, fault, code) => {
      const site = await open();
      site.upstream.on('GET /v0/persons/p', fault);

      const reply = await site.ask(PERSON);

      expect(reply.codes).toEqual([code]);
      expect(reply.errors[0].path[0]).toBe('person');
      expect(reply.text).not.toMatch(DISCLOSED);
      expect(reply.headers.get('server-timing')).toBeNull();
      const route = 'route="/v0/persons/{person_id}"';
      expect(await site.metric('gateway_errors_total', `code="${code}"`, route)).toBe(1);
    },
  );

  it('a write with an unknown outcome returns the state of its object, but neither route nor status', async () => {
    const site = await open();
    site.upstream.on('PATCH /v0/topics/t', status(500));

    const reply = await site.ask(WRITE);

    expect(reply.codes).toEqual(['OUTCOME_UNKNOWN']);
    expect(reply.errors[0].extensions.state).toMatchObject({ found: true });
    expect(JSON.stringify({ ...reply.errors[0], extensions: undefined })).not.toMatch(/500|\/v0/);
    expect(reply.errors[0].extensions).not.toHaveProperty('upstream');
  });

  it('a failed deferred part exposes neither route nor status', async () => {
    const site = await open();
    site.upstream.on('GET /v0/pages/p/audiences', status(503));

    const reply = await site.ask(
      '{ page(pageId: "p") { name ... @defer { audiences { totalCount } } } }',
      { headers: { accept: 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9' } },
    );

    expect(reply.text).toContain('"UPSTREAM_UNAVAILABLE"');
    expect(reply.text).not.toMatch(DISCLOSED);
  });

  it('a failed event exposes neither route nor status over server-sent events and WebSocket', async () => {
    const site = await open();
    site.upstream.on('GET /v0/pages/p/audiences/a/versions/v', status(503));

    const stream = await openEvents(site.url, { id: VERSION }, { apiKey: KEY });
    onTestFinished(() => stream.leave());
    const socket = await openSocket(site.url, { payload: { 'x-api-key': KEY } });
    socket.subscribe('one', { id: VERSION });
    await until(() => stream.events.length > 0 && socket.received('next').length > 0);

    for (const event of [stream.events[0], socket.received('next')[0]]) {
      expect(JSON.stringify(event)).toContain('"UPSTREAM_UNAVAILABLE"');
      expect(JSON.stringify(event)).not.toMatch(DISCLOSED);
    }
  });
});

it('an error includes the route and the status with EXPLAIN=on', async () => {
  const site = await open('on');
  site.upstream.on('GET /v0/persons/p', status(418));

  const { errors } = await site.ask(PERSON);

  expect(errors[0]).toMatchObject({
    message: expect.stringMatching(/418.*GET \/v0\/persons\/\{person_id\}$/),
    extensions: { upstream: { method: 'GET', route: '/v0/persons/{person_id}', status: 418 } },
  });
});
