/**
 * Attacks by the ways in which an operation may arrive and its answer leave: long URLs, ids of trusted
 * documents, answers in parts that are not read, subscriptions that come and go, and bad JSON.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { formatNodeId } from '../../../src/graph/types/node-id.ts';
import { INVENTED, type Attack, type Attacker } from './definition.ts';
import { KEY, pipelineRead, rawGet, rawPost, readNothing, WITH_KEY } from './raw.ts';

/** What Node reads of a head, less the other headers. */
const URL_LENGTH = 15_000;

const TRUSTED = {
  TRUSTED_DOCUMENTS: fileURLToPath(new URL('../../../src/client/generated', import.meta.url)),
};

/** So many connections; each sends requests ahead, another one each time, and reads all the answers. */
const pipelining =
  (connections: number, ahead: number, write: (turn: number) => string) =>
  (attacker: Attacker): Promise<void> => {
    let turn = 0;
    return attacker.loop(connections, () => pipelineRead(attacker, ahead, () => write(turn++)));
  };

/** Nearly as long as a URL may be, another one each time. */
const longUrl = (turn: number): string => {
  const field = (i: number) => `l${turn}_${i}: person(personId: "u${turn}") { name }`;
  const query = `{ ${Array.from({ length: 25 }, (_, i) => field(i)).join(' ')} }#`;
  // Letters are as long in a URL.
  return rawGet({ query: query + 'x'.repeat(URL_LENGTH - encodeURIComponent(query).length) });
};

const unknownId = (turn: number): string =>
  rawPost(JSON.stringify({ documentId: `sha256:${turn.toString(16).padStart(64, '0')}` }));

const MANIFEST = new URL('../../../src/client/generated/persisted-documents.json', import.meta.url);
const [KNOWN_ID = ''] = Object.entries(
  JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, string>,
).find(([, text]) => /query AccountWithPersons\b/.test(text))!;

/** An account that no other request asks for. */
const knownId = (turn: number): string =>
  rawGet({ documentId: `sha256:${KNOWN_ID}`, variables: `{"accountId":"k${turn}"}` });

const IN_PARTS = rawPost(
  JSON.stringify({
    query:
      '{ page(pageId: "p") { audiences(first: 100) { nodes @stream(initialCount: 1) { ... @defer { page { audiences(first: 100) { nodes { id computedName effectiveName status createdAt } } } } } } } }',
  }),
  { ...WITH_KEY, accept: 'multipart/mixed' },
);

const WATCH = 'subscription ($id: ID!) { audienceVersionProgress(id: $id) { isFinal } }';

const watched = (turn: number): string =>
  JSON.stringify({
    query: WATCH,
    variables: { id: formatNodeId('AudienceVersion', ['p', 'a', `v${turn % 50}`]) },
  });

/** Opens a stream of events, waits for its first byte, and leaves. */
async function watchAndLeave(attacker: Attacker, turn: number): Promise<void> {
  const socket = attacker.connect();
  socket.write(rawPost(watched(turn), { ...WITH_KEY, accept: 'text/event-stream' }));
  attacker.count('requests');
  await new Promise<void>((resolve) => {
    socket.once('data', () => resolve());
    socket.once('close', () => resolve());
    setTimeout(resolve, Math.min(1_000, attacker.leftMs)).unref();
  });
  socket.resetAndDestroy();
}

/** Opens a WebSocket and waits until the gateway has accepted its key. */
async function openSocket(attacker: Attacker): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${attacker.port}/graphql`, 'graphql-transport-ws', {
    createConnection: () => attacker.connect(),
  });
  socket.on('error', () => {});
  const next = (event: string) =>
    new Promise((resolve) => {
      socket.once(event, resolve).once('close', resolve);
      setTimeout(resolve, attacker.leftMs).unref();
    });
  await next('open');
  if (socket.readyState === socket.OPEN) {
    socket.send(`{"type":"connection_init","payload":{"x-api-key":"${KEY}"}}`);
    await next('message');
  }
  return socket;
}

/** Opens a WebSocket, subscribes, and leaves before there is an event. */
async function subscribeAndLeave(attacker: Attacker, turn: number): Promise<void> {
  const socket = await openSocket(attacker);
  if (socket.readyState === socket.OPEN) {
    const message = `{"type":"subscribe","id":"s","payload":${watched(turn)}}`;
    await new Promise((resolve) => socket.send(message, resolve));
    attacker.count('requests');
  }
  socket.terminate();
}

/** Over one WebSocket: subscribes and completes without pause. */
async function subscribeAndComplete(attacker: Attacker): Promise<void> {
  const socket = await openSocket(attacker);
  for (let i = 0; !attacker.over && socket.readyState === socket.OPEN; i++) {
    if (socket.bufferedAmount > 100_000) {
      await sleep(1);
      continue;
    }
    socket.send(`{"type":"subscribe","id":"${i}","payload":${watched(i)}}`);
    socket.send(`{"type":"complete","id":"${i}"}`);
    attacker.count('requests');
    if (i % 20 === 0) await sleep(1);
  }
  socket.terminate();
}

export const attacks: readonly Attack[] = [
  {
    point: 20,
    name: 'long URLs by GET, each a new document',
    run: pipelining(50, 1, longUrl),
  },
  {
    point: 20,
    name: 'unknown ids of trusted documents',
    env: TRUSTED,
    run: pipelining(50, 20, unknownId),
  },
  {
    point: 20,
    name: 'a known id of a trusted document by GET, pipelined',
    env: TRUSTED,
    run: pipelining(20, 20, knownId),
  },
  {
    point: 20,
    name: 'bad JSON, pipelined',
    run: pipelining(50, 20, (turn) => rawPost(`{"query":"{ a${turn} }","variables":{"a":[`)),
  },
  {
    point: 20,
    name: 'bad JSON, keys invented',
    run: pipelining(50, 20, (turn) =>
      rawPost(`{"query":${'['.repeat(500)}`, { 'x-api-key': `${INVENTED}${turn}` }),
    ),
  },
  {
    point: 20,
    name: '300 answers in parts, nothing read',
    returnsMemory: true,
    run: async (attacker) => {
      await Promise.all(Array.from({ length: 300 }, () => readNothing(attacker, IN_PARTS)));
    },
  },
  {
    point: 20,
    name: 'streams of events opened and left',
    returnsMemory: true,
    run: (attacker) => {
      let turn = 0;
      return attacker.loop(50, () => watchAndLeave(attacker, turn++));
    },
  },
  {
    point: 20,
    name: 'subscriptions of WebSockets begun and ended',
    returnsMemory: true,
    run: (attacker) => attacker.loop(20, () => subscribeAndComplete(attacker)),
  },
  {
    point: 20,
    name: 'WebSockets opened, subscribed and left',
    returnsMemory: true,
    run: (attacker) => {
      let turn = 0;
      return attacker.loop(50, () => subscribeAndLeave(attacker, turn++));
    },
  },
];
