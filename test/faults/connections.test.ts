/**
 * T67: what callers can hold of the server: requests on a connection, unread answers, and connections
 * of one address.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { Connections } from '../../src/server/http/connections.ts';
import { routes } from '../../src/v0/routes.ts';
import { afterFile } from '../support/after-file.ts';
import { text } from '../support/faults.ts';
import { KEY } from '../support/gateway-process.ts';
import { sampleOf } from '../support/world.ts';
import { openCallers } from './callers.ts';
import { eventually, expectBelow, openStand, percentile, type Stand } from './stand.ts';

let stand: Stand;

beforeAll(async () => {
  stand = await openStand({ LOG_LEVEL: 'warn' });
});

/** A connection that reads nothing until `read` is called. */
function open(port = stand.gateway.port): Socket & { isClosed?: boolean } {
  const socket: Socket & { isClosed?: boolean } = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  // What is not read hides the end of it; a write fails then.
  socket.on('close', () => (socket.isClosed = true));
  afterFile(() => socket.destroy());
  return socket;
}

const post = (query: string): string => {
  const body = JSON.stringify({ query });
  return `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-api-key: ${KEY}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

/** Resident memory of the gateway, in bytes. */
const residentBytes = ({ gateway }: Stand): number => {
  const status = readFileSync(`/proc/${gateway.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024;
};

/** Asks for `payload`, which has a megabyte. */
const big = `{ node(id: "${formatNodeId('PersonLog', ['big', 'l'])}") { ... on PersonLog { payload } } }`;

function answerBig({ upstream }: Stand): void {
  const log = sampleOf(routes.getPersonLog, { person_id: 'big', person_log_id: 'l' });
  const payload = { text: 'x'.repeat(1_000_000) };
  upstream.on('GET /v0/persons/big/logs/l', text(JSON.stringify({ ...log, payload })));
}

describe('T67 a connection that sends and does not read', () => {
  it('T67 is answered no further than the system takes, in bounded memory', async () => {
    answerBig(stand);
    await stand.ask(big);
    const before = residentBytes(stand);
    const hits = stand.hits;

    const sockets = Array.from({ length: 5 }, () => open());
    for (const socket of sockets) socket.write(post(big).repeat(90));
    await sleep(1_000);

    // A socket of the loopback takes some megabytes.
    expect(stand.hits - hits).toBeLessThan(5 * 20);
    expect(residentBytes(stand) - before).toBeLessThan(60e6);
    expect((await stand.ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
    for (const socket of sockets) socket.destroy();
  });

  it('T67 is answered in order when it reads at last', async () => {
    const socket = open();
    const names = Array.from({ length: 60 }, (_, i) => `n${i}`);
    socket.write(names.map((name) => post(`{ ${name}: __typename }`)).join(''));
    await sleep(200);

    let read = '';
    socket.on('data', (chunk: Buffer) => (read += chunk.toString()));
    socket.resume();

    await eventually(() =>
      expect([...read.matchAll(/"(n\d+)":"Query"/g)].map(([, name]) => name)).toEqual(names),
    );
    socket.destroy();
  });

  it('T67 is cut when it sends more ahead than any client does', async () => {
    const socket = open();
    socket.write(post(big).repeat(240));

    await eventually(() => {
      socket.write('x'); // to learn of the end without reading
      expect(socket.isClosed).toBe(true);
    });
  });

  /** A server that never answers. */
  async function openSilent() {
    const connections = new Connections(undefined);
    const requests: IncomingMessage[] = [];
    const server = createServer((incoming, outgoing) => {
      requests.push(incoming);
      connections.receive(incoming, outgoing, () => () => {});
    });
    server.on('connection', connections.take);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterFile(() => server.close());
    return { port: (server.address() as AddressInfo).port, server, requests };
  }

  const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

  it('T67 is parsed no further then', async () => {
    const { port, server, requests } = await openSilent();
    const stacks: (string | undefined)[] = [];
    server.on('request', (incoming) => incoming.on('error', ({ stack }) => stacks.push(stack)));
    const { stackTraceLimit } = Error;

    const socket = open(port);
    // They have 64 KB, which Node reads at once.
    socket.write(GET.repeat(2_000));
    await eventually(() => {
      socket.write('x');
      expect(socket.isClosed).toBe(true);
    });

    expect(requests.length).toBeLessThan(100);
    expect(stacks).toHaveLength(requests.length);
    expect(stacks.filter((stack) => stack?.includes('\n'))).toEqual([]);
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  });

  it('T67 is cut sooner while many requests wait on other connections', async () => {
    const { port, requests } = await openSilent();
    const others = Array.from({ length: 4 }, () => open(port));
    for (const other of others) other.write(GET.repeat(65));
    await eventually(() => expect(requests).toHaveLength(4 * 65));

    const [few, many] = [open(port), open(port)];
    few.write(GET.repeat(9));
    await eventually(() => expect(requests).toHaveLength(4 * 65 + 9));
    many.write(GET.repeat(10));
    await eventually(() => {
      many.write('x');
      expect(many.isClosed).toBe(true);
    });
    expect(few.isClosed).toBeUndefined();

    // Those that have left do not count any more.
    for (const socket of [...others, few]) socket.destroy();
    await sleep(50);
    const next = open(port);
    next.write(GET.repeat(65));
    await eventually(() =>
      expect(requests.filter(({ socket }) => !socket.destroyed)).toHaveLength(65),
    );
    next.destroy();
  });

  it('T67 makes no other caller wait for answers to three hundred connections that read nothing', async () => {
    answerBig(stand);
    const callers = openCallers(stand.gateway);
    await callers.ask(big);

    await expectBelow(150, async () => {
      const sockets = Array.from({ length: 300 }, () => open());
      for (const socket of sockets) socket.write(post(big));
      const times: number[] = [];
      for (let i = 0; i < 20; i++) times.push((await callers.ask('{ __typename }')).tookMs);
      for (const socket of sockets) socket.destroy();
      return Math.max(...times);
    });
  });

  it('T67 makes no other caller wait: twenty connections with nine thousand requests each', async () => {
    const callers = openCallers(stand.gateway);
    const slowest = async (): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < 10; i++) times.push((await callers.ask('{ __typename }')).tookMs);
      return percentile(times, 0.9);
    };
    await slowest();

    await expectBelow(250, async () => {
      const many = post('{ __typename }').repeat(9_000);
      const sockets = Array.from({ length: 20 }, () => open());
      for (const socket of sockets) socket.write(many);
      const during = await slowest();
      for (const socket of sockets) socket.destroy();
      return during;
    });
  });
});

it('T67 lets one address have as many connections as MAX_CONNECTIONS_PER_ADDRESS says', async () => {
  const capped = await openStand({ MAX_CONNECTIONS_PER_ADDRESS: '5' });
  const { port } = capped.gateway;
  const asks = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n';
  const isServed = (socket: Socket): Promise<boolean> =>
    new Promise((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false));
      socket.write(asks);
      socket.resume();
    });

  const sockets = Array.from({ length: 5 }, () => open(port));
  expect(await Promise.all(sockets.map(isServed))).toEqual(Array(5).fill(true));
  expect(await isServed(open(port))).toBe(false);
  sockets[0]!.destroy();

  await eventually(async () => expect(await isServed(open(port))).toBe(true));
});
