/**
 * T73: informational responses are skipped, and partial responses are rejected.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { raw, type Behaviour } from '../support/faults.ts';
import { sampleOf, world } from '../support/world.ts';
import { openTestbed } from './testbed.ts';

const testbed = await openTestbed();

afterEach(async () => {
  for (const route of [READ, WRITE]) testbed.upstream.on(route, world());
  await testbed.calm();
});

const READ = 'GET /v0/topics/t';
const WRITE = 'PATCH /v0/topics/t';
const read = () => testbed.ask('{ topic(topicId: "t") { title } }');
const write = () =>
  testbed.ask(
    `mutation { updateTopic(input: { id: "${formatNodeId('Topic', ['t'])}", title: "x" }) { topic { title } } }`,
  );

const BODY = JSON.stringify(sampleOf(routes.getTopic, { topic_id: 't' }));
/** A response that closes its connection: Node's server, which it bypasses, still waits for its own response there. */
const answer = (status = '200 OK', body = BODY): string =>
  `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const PROCESSING = 'HTTP/1.1 102 Processing\r\nx-part: 1\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n';

/** These pieces, each in its own packet. */
const inPieces =
  (...pieces: readonly string[]): Behaviour =>
  async (_response, _seen, socket) => {
    for (const piece of pieces) {
      socket.write(piece);
      await sleep(2);
    }
  };

it.each<[string, Behaviour]>([
  ['102 Processing', raw(PROCESSING + answer())],
  ['103 Early Hints', raw(HINTS + answer())],
  ['several informational responses', raw(PROCESSING + HINTS + HINTS + answer())],
  ['a 103 well before the response', inPieces(HINTS, '', '', answer())],
  ['a 103 that arrives byte by byte', inPieces(...HINTS, answer())],
  [
    'a 103 that ends in the packet of the response',
    inPieces(HINTS.slice(0, 20), HINTS.slice(20) + answer()),
  ],
])('T73 ignores %s for reads and writes', async (_name, behaviour) => {
  testbed.upstream.on(READ, behaviour);
  testbed.upstream.on(WRITE, behaviour);

  const replies = [await read(), await read(), await write()];

  expect(replies.flatMap(({ errors }) => errors)).toEqual([]);
  expect(replies.map(({ data }) => data)).toEqual([
    { topic: { title: 'title' } },
    { topic: { title: 'title' } },
    { updateTopic: { topic: { title: 'title' } } },
  ]);
  await testbed.holds(replies, { hits: 3 });
});

it('T73 fails with UPSTREAM_UNAVAILABLE for a read and OUTCOME_UNKNOWN for a write after an unsolicited 100 Continue', async () => {
  const behaviour = raw(CONTINUE + answer());
  testbed.upstream.on(READ, behaviour);
  testbed.upstream.on(WRITE, behaviour);

  const reader = await read();
  const writer = await write();

  expect(reader.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
  expect(writer.codes).toEqual(['OUTCOME_UNKNOWN']);
  await testbed.holds([reader, writer], { hits: [3, 8] });
});

it('T73 preserves body text that looks like an informational response', async () => {
  const title = `${CONTINUE}${answer('206 Partial Content', '{}')}`;
  const body = JSON.stringify({ ...JSON.parse(BODY), title });
  const whole = answer('200 OK', body);
  const at = whole.indexOf('HTTP/1.1 100');
  testbed.upstream.on(READ, inPieces(whole.slice(0, at), whole.slice(at)));

  const reply = await read();

  expect(reply.data).toEqual({ topic: { title } });
  await testbed.holds(reply, { hits: 1 });
});

it('T73 fails a read after a 101 and times out a read during endless 103s', async () => {
  testbed.upstream.on(READ, raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'));
  const switched = await read();
  testbed.upstream.on(READ, async (_response, _seen, socket) => {
    while (!socket.destroyed) {
      socket.write(HINTS);
      await sleep(5);
    }
  });
  const endless = await read();

  expect(switched.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
  expect(endless.codes).toEqual(['UPSTREAM_TIMEOUT']);
  await testbed.holds([switched, endless], { hits: [2, 6] });
});

it.each([205, 206, 226, 299])(
  'T73 rejects a %i with UPSTREAM_INVALID_RESPONSE for a read and OUTCOME_UNKNOWN for a write',
  async (status) => {
    const partial = raw(answer(`${status} Whatever`, status === 205 ? '' : BODY));
    testbed.upstream.on(READ, partial, world());
    testbed.upstream.on(WRITE, partial);

    const reader = await read();
    const writer = await write();

    expect(reader.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(writer.codes).toEqual(['OUTCOME_UNKNOWN']);
    expect(writer.errors[0].extensions.state).toMatchObject({ found: true });
    await testbed.holds([reader, writer], { hits: 3 });
  },
);

it.each([201, 202, 203])('T73 accepts a %i', async (status) => {
  testbed.upstream.on(READ, raw(answer(`${status} Whatever`)));

  const reply = await read();

  expect(reply.data).toEqual({ topic: { title: 'title' } });
  await testbed.holds(reply, { hits: 1 });
});
