/**
 * T67: callers who send and do not read: other callers get responses meanwhile.
 */
import { connect, type Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { afterFile } from '../support/after-file.ts';
import { text } from '../support/faults.ts';
import { KEY } from '../support/gateway-process.ts';
import { sampleOf } from '../support/world.ts';
import { openCallers } from './callers.ts';
import { openTestbed, type Testbed } from './testbed.ts';
import { until } from '../support/until.ts';

const testbed = await openTestbed({ LOG_LEVEL: 'warn' });
beforeEach(() => testbed.forget());

/** A connection that reads nothing until `read` is called. */
function open(port = testbed.gateway.port): Socket & { isClosed?: boolean } {
  const socket: Socket & { isClosed?: boolean } = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  // Unread data hides the end of a connection, until a write fails.
  socket.on('close', () => (socket.isClosed = true));
  afterFile(() => socket.destroy());
  return socket;
}

const post = (query: string): string => {
  const body = JSON.stringify({ query });
  return `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-api-key: ${KEY}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

/** Requests `payload`, which has a megabyte. */
const big = `{ node(id: "${formatNodeId('PersonLog', ['big', 'l'])}") { ... on PersonLog { payload } } }`;

function answerBig({ upstream }: Testbed): void {
  const log = sampleOf(routes.getPersonLog, { person_id: 'big', person_log_id: 'l' });
  const payload = { text: 'x'.repeat(1_000_000) };
  upstream.on('GET /v0/persons/big/logs/l', text(JSON.stringify({ ...log, payload })));
}

describe('T67 a connection that sends without reading', () => {
  it('T67 receives its responses in order once it reads', async () => {
    const socket = open();
    const names = Array.from({ length: 60 }, (_, i) => `n${i}`);
    const executed = () => testbed.gateway.metric('gateway_requests_total', 'outcome="ok"');
    const before = await executed();
    socket.write(names.map((name) => post(`{ ${name}: __typename }`)).join(''));
    await until(async () => expect((await executed()) - before).toBe(names.length));

    let read = '';
    socket.on('data', (chunk: Buffer) => (read += chunk.toString()));
    socket.resume();

    await until(() =>
      expect([...read.matchAll(/"(n\d+)":"Query"/g)].map(([, name]) => name)).toEqual(names),
    );
    socket.destroy();
  });

  it('T67 does not delay responses to other clients, even when three hundred connections are unread', async () => {
    answerBig(testbed);
    const callers = openCallers(testbed.gateway);
    await callers.ask(big);

    const sockets = Array.from({ length: 300 }, () => open());
    for (const socket of sockets) socket.write(post(big));
    for (let i = 0; i < 20; i++) {
      expect((await callers.ask('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
    }

    // None has been closed, so no caller waited for one.
    expect(sockets.filter(({ isClosed }) => isClosed)).toEqual([]);
    for (const socket of sockets) socket.destroy();
  });
});
