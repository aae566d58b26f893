/**
 * T108: many connections at one moment: probes do not wait for their requests, and none is dropped.
 *
 * The moment is the one in which a gateway that was stopped goes on.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { afterFile } from '../support/after-file.ts';
import { WATCH } from '../live/support.ts';
import { world } from '../support/world.ts';
import { raw, rawPost, WITH_KEY } from './raw-http.ts';
import { openStand } from './stand.ts';

const MANY = 300;

/** More than wait where a server does not say how many may. */
const VERY_MANY = 1_000;

/** What the system lets wait. */
const ALLOWED = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));

/** Connections with a request each, of which the gateway has read nothing yet. */
async function sendToStopped(requests: readonly string[]): Promise<{
  readonly sockets: readonly Socket[];
  goOn(): void;
}> {
  const stand = await openStand({ LOG_LEVEL: 'warn', MAX_SUBSCRIPTIONS_PER_KEY: '1000' });
  stand.upstream.on('*', world());
  const { port, process: gateway } = stand.gateway;
  gateway.kill('SIGSTOP');
  afterFile(() => gateway.kill('SIGCONT'));
  const sockets: Socket[] = [];
  for (const request of requests) {
    const socket = connect(port, '127.0.0.1');
    afterFile(() => socket.destroy());
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(request);
  }
  return { sockets, goOn: () => gateway.kill('SIGCONT') };
}

const PROBE = raw('GET', '/health', {});

/** Opens a stream of events, whose first bytes are sent before there is an event. */
const watch = (i: number): string =>
  rawPost(
    JSON.stringify({
      query: WATCH,
      variables: { id: formatNodeId('AudienceVersion', ['p', 'a', `v${i}`]) },
    }),
    { ...WITH_KEY, accept: 'text/event-stream' },
  );

const UPGRADE = raw('GET', '/graphql', {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-protocol': 'graphql-transport-ws',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
});

it.each<[string, (i: number) => string]>([
  ['streams', watch],
  ['WebSockets', () => UPGRADE],
])(
  'T108 answers a probe before most %s whose connections came before its own',
  async (_name, requestOf) => {
    const requests = Array.from({ length: MANY }, (_, i) => requestOf(i));
    const { sockets, goOn } = await sendToStopped([...requests, PROBE]);
    const order: number[] = [];
    const answers = sockets.map(async (socket, i) => {
      const [answer] = (await once(socket, 'data')) as [Buffer];
      order.push(i);
      return answer.toString();
    });

    goOn();

    for (const answer of await Promise.all(answers))
      expect(answer).toMatch(/^HTTP\/1.1 (?:101|200) /);
    expect(order.indexOf(MANY)).toBeLessThan(MANY / 3);
  },
);

it.skipIf(ALLOWED < VERY_MANY)('T108 drops no connection of a thousand', async () => {
  const { sockets, goOn } = await sendToStopped(Array.from({ length: VERY_MANY }, () => PROBE));
  const answers = sockets.map((socket) => once(socket, 'data'));

  goOn();

  await Promise.all(answers);
});
