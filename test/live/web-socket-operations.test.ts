/** Queries and mutations over WebSocket when a client leaves, a process stops, or responses are read slowly. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { KEY } from '../support/client.ts';
import { held, ok, silence } from '../support/faults.ts';
import { openGateway, type InProcessOptions } from '../support/open-gateway.ts';
import { isOperation, openLog } from '../support/open-log.ts';
import { until } from '../support/until.ts';
import { sampleOf, world } from '../support/world.ts';
import { FAST, openSocket, type Socket } from './support.ts';

const QUERY = '{ person(personId: "p") { name } }';
const READ = 'GET /v0/persons/p';
const MUTATION = `mutation { updateTopic(input: { id: "${formatNodeId('Topic', ['t'])}", title: "New" }) { topic { title } userErrors { message } } }`;
const WRITE = 'PATCH /v0/topics/t';

const PAYLOAD = { payload: { 'x-api-key': KEY } };

/** A gateway whose backend holds one route until it is released, and a socket to it. */
async function open(route: string, options: InProcessOptions = {}) {
  const { lines, logger } = openLog('info');
  const site = await openGateway({ logger, ...options, backend: 'faulty' });
  const answer = held(world());
  site.upstream.on(route, answer.behaviour);
  const socket = await openSocket(site.url, PAYLOAD);
  return {
    ...{ site, socket, release: answer.release },
    isCalled: () => site.upstream.hits(route) > 0,
    outcomes: () => lines.filter(isOperation).map((line) => line['outcome']),
  };
}

const answersTo = (socket: Socket): string[] =>
  ['next', 'error', 'complete'].flatMap((type) =>
    socket.received(type).map(({ id }) => `${type} ${id}`),
  );

const LEAVING: readonly [how: string, leave: (socket: Socket) => void][] = [
  [
    'completes its operations',
    ({ send }) => ['a', 'b'].forEach((id) => send({ id, type: 'complete' })),
  ],
  ['closes its socket', ({ socket }) => socket.close()],
  ['terminates its connection', ({ socket }) => socket.terminate()],
];

describe('a WebSocket client that', () => {
  it.each(LEAVING)('%s abandons a query and receives no response to it', async (_how, leave) => {
    const { site, socket, isCalled, outcomes } = await open(READ);
    socket.subscribe('a', {}, QUERY);
    await until(isCalled);

    leave(socket);
    await until(() => outcomes().length > 0);

    expect(outcomes()).toEqual(['abandoned']);
    await site.gateway.idle();
    expect(answersTo(socket)).toEqual([]);
  });

  it.each(LEAVING)('%s does not cancel a mutation, which is sent once', async (_how, leave) => {
    const { site, socket, isCalled, outcomes, release } = await open(WRITE);
    site.upstream.on(READ, silence());
    socket.subscribe('a', {}, MUTATION);
    socket.subscribe('b', {}, QUERY);
    await until(() => isCalled() && site.upstream.hits(READ) > 0);

    leave(socket);
    // The gateway has abandoned the query.
    await until(() => outcomes().length > 0);
    release();
    await until(() => outcomes().length > 1);

    expect(outcomes()).toEqual(['abandoned', 'abandoned']);
    expect(site.upstream.hits(WRITE)).toBe(1);
    expect(answersTo(socket)).toEqual([]);
  });
});

describe('an id that is reused after complete', () => {
  it('belongs to the second operation, which returns its result after the first has ended', async () => {
    const { site, socket, isCalled, outcomes, release } = await open(WRITE);
    const second = held(world());
    site.upstream.on(READ, second.behaviour);
    socket.subscribe('a', {}, MUTATION);
    await until(isCalled);

    socket.send({ id: 'a', type: 'complete' });
    socket.subscribe('a', {}, QUERY);
    await until(() => site.upstream.hits(READ) > 0);
    release();
    await until(() => outcomes().length > 0);
    second.release();
    await until(() => socket.received('complete').length > 0);

    expect(outcomes()).toEqual(['abandoned', 'ok']);
    expect(socket.received('next').map(({ payload }) => payload.data)).toEqual([
      { person: { name: expect.any(String) } },
    ]);
  });

  it('belongs to a subscription, which ends with its socket', async () => {
    const { site, socket, isCalled, outcomes, release } = await open(WRITE, { live: FAST });
    const ids = { page_id: 'p', audience_id: 'a', version_id: 'v' };
    const draft = { ...sampleOf(routes.getVersion, ids), status: 'draft' };
    site.upstream.on('GET /v0/pages/p/audiences/a/versions/v', ok(draft));
    socket.subscribe('a', {}, MUTATION);
    await until(isCalled);

    socket.send({ id: 'a', type: 'complete' });
    socket.subscribe('a', { id: formatNodeId('AudienceVersion', ['p', 'a', 'v']) });
    await until(() => site.gateway.subscriptions.size === 1);
    release();
    await until(() => outcomes().length > 1);
    socket.socket.close();

    await until(
      () => site.gateway.subscriptions.size === 0 && site.gateway.pollers.size === 0,
      5_000,
    );
  });
});

describe('a process that stops', () => {
  it.each([
    ['query', QUERY, READ],
    ['mutation', MUTATION, WRITE],
  ])(
    'completes a %s in flight before it closes the socket, and starts no other',
    async (_what, text, route) => {
      const { site, socket, isCalled, release } = await open(route);
      socket.subscribe('a', {}, text);
      await until(isCalled);

      const stopped = site.server.close(10_000);
      await until(isRefused(site.url));
      // The client will send it again, over another socket.
      socket.subscribe('late', {}, text);
      release();

      expect(await socket.closed).toBe(1012);
      expect(await stopped).toBe(true);
      expect(answersTo(socket)).toEqual(['next a', 'complete a']);
      expect(site.upstream.hits(route)).toBe(1);
    },
  );
});

it('a socket that reads slowly stays open and receives all responses', async () => {
  const text = 'x'.repeat(700_000);
  const { site, outcomes } = await open(WRITE);
  site.upstream.on(READ, ok({ personId: 'p', name: text }));
  const socket = await openSocket(site.url, PAYLOAD);
  socket.socket.pause();
  // More than the system's buffers and a megabyte.
  const ids = Array.from({ length: 30 }, (_, i) => `m${i}`);
  for (const id of ids) socket.subscribe(id, {}, QUERY);
  await until(() => outcomes().length === ids.length);

  socket.subscribe('one more', {}, QUERY);
  await until(() => socket.socket.bufferedAmount === 0);
  socket.socket.resume();
  await until(() => socket.received('complete').length > ids.length);

  const lengths = socket.received('next').map(({ payload }) => payload.data.person.name.length);
  expect(lengths).toEqual([...ids, 'one more'].map(() => text.length));
});

/** Whether the port refuses connections by now. */
function isRefused(url: string): () => boolean {
  let refused = false;
  const knock = async (): Promise<void> => {
    const socket = connect(Number(new URL(url).port));
    await new Promise<void>((resolve) => {
      socket.once('connect', resolve).once('error', () => {
        refused = true;
        resolve();
      });
    });
    socket.destroy();
    if (!refused) setTimeout(() => void knock(), 5);
  };
  void knock();
  return () => refused;
}
