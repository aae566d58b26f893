/**
 * The process of an attacker: carries out one attack until its time is over, then prints what it
 * spent and saw as one line.
 *
 * A process of its own, because an attacker who keeps a core busy would delay the victim's clock. It
 * connects from 127.0.0.2, so that limits per address do not hit the victim as well.
 */
import { connect as connectTo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, buildConnector } from 'undici';
import { bodyOf, headersOf, type Attack, type Attacker, type AttackReport } from './definition.ts';

const ATTACKER_ADDRESS = '127.0.0.2';

/** What `run-attack.ts` passes as the only argument, in JSON. */
export interface AttackerArguments {
  readonly family: string;
  readonly name: string;
  readonly port: number;
  readonly gatewayPid: number;
  readonly backendUrl: string;
  readonly seconds: number;
  /** What honest callers are to make. */
  readonly callsASecond: number;
}

// Written by run-attack.ts, which has the same type.
const given = JSON.parse(process.argv[2]!) as AttackerArguments;
const { attacks } = (await import(`./${given.family}.ts`)) as { attacks: readonly Attack[] };
const attack = attacks.find(({ name }) => name === given.name);
if (!attack?.run) throw new Error(`No attack "${given.name}" to run in ${given.family}.ts.`);

const { port, seconds } = given;
const sockets = new Set<Socket>();
const facts: Record<string, number> = {};
const wrong = new Map<string, number>();
let requests = 0;
let connections = 0;
let bytesOfClosed = 0;

function watch(socket: Socket): void {
  connections += 1;
  sockets.add(socket);
  socket.on('error', () => {});
  socket.once('close', () => {
    sockets.delete(socket);
    bytesOfClosed += socket.bytesWritten;
  });
}

const connector = buildConnector({ localAddress: ATTACKER_ADDRESS, timeout: 10_000 });
const agent = new Agent({
  headersTimeout: 60_000,
  bodyTimeout: 60_000,
  connect: (options, callback) => {
    connector(options, (...result) => {
      if (result[1]) watch(result[1]);
      callback(...result);
    });
  },
});
const endMs = performance.now() + seconds * 1_000;

const attacker: Attacker = {
  ...given,
  get over() {
    return performance.now() >= endMs;
  },
  get leftMs() {
    return Math.max(0, endMs - performance.now());
  },
  ask: async (post) => {
    const response = await send(post);
    const text = await response.body.text();
    return { status: response.statusCode, bytes: Buffer.byteLength(text), text };
  },
  send: async (post) => {
    const { statusCode, body } = await send(post);
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length;
    return { status: statusCode, bytes };
  },
  loop: async (callers, turn) => {
    await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        while (!attacker.over) {
          try {
            await turn(caller);
          } catch {
            if (attacker.over) return;
            attacker.count('failed requests');
            await sleep(50); // a gateway that has ended refuses connections in no time
          }
        }
      }),
    );
  },
  connect: () => {
    const socket = connectTo({ port, host: '127.0.0.1', localAddress: ATTACKER_ADDRESS });
    watch(socket);
    return socket;
  },
  count: (fact, by = 1) => {
    if (fact === 'requests') requests += by;
    else facts[fact] = (facts[fact] ?? 0) + by;
  },
  wrong: (complaint) => {
    wrong.set(complaint, (wrong.get(complaint) ?? 0) + 1);
  },
};

function send(post: Parameters<Attacker['ask']>[0]) {
  requests += 1;
  return agent.request({
    origin: `http://127.0.0.1:${port}`,
    path: '/graphql',
    method: 'POST',
    headers: headersOf(post),
    body: bodyOf(post),
  });
}

process.stdout.write('BEGUN\n');
// Requests that still wait for an answer then are given up.
const cut = setTimeout(() => void agent.destroy(), seconds * 1_000);
await attack.run(attacker);
clearTimeout(cut);
let bytesSent = bytesOfClosed;
for (const socket of sockets) {
  bytesSent += socket.bytesWritten;
  socket.resetAndDestroy();
}
const report: AttackReport = {
  requests,
  bytesSent,
  connections,
  facts,
  wrong: [...wrong].map(
    ([complaint, times]) => `${complaint}${times > 1 ? ` (${times} times)` : ''}`,
  ),
};
process.stdout.write(`REPORT ${JSON.stringify(report)}\n`, () => process.exit(0));
