/**
 * T75 and T79: several workers on one port, of which one is stopped, killed or hangs.
 *
 * What is promised. SIGTERM resets no connection that is kept or was opened while the gateway was
 * ready. A worker that is killed costs the requests under way on its own connections, no others, and
 * no caller waits for ever. One that hangs is replaced, and those who come meanwhile are answered
 * by
 * others.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { after } from '../support/faults.ts';
import { KEY, POST_JSON, type GatewayProcess } from '../support/gateway-process.ts';
import { world } from '../support/world.ts';
import { eventually, openStand, type Stand } from './stand.ts';

async function open(env: Record<string, string> = {}): Promise<Stand> {
  const stand = await openStand({ WORKERS: '2', LOG_LEVEL: 'error', ...env });
  stand.upstream.on('*', after(3, world()));
  await eventually(() => expect(workersOf(stand.gateway)).toHaveLength(2));
  return stand;
}

/** Process ids of the workers. */
function workersOf({ process: { pid } }: GatewayProcess): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter((child) => child !== '')
    .map(Number);
}

/** The ports of the callers whose connections a worker has accepted. */
function callersOf(pid: number, port: number): Set<number> {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        const target = readlinkSync(`/proc/${pid}/fd/${fd}`);
        return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
      } catch {
        return []; // closed since the folder was listed
      }
    }),
  );
  const portOf = (address = '') => parseInt(address.split(':')[1] ?? '', 16);
  return new Set(
    readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , , , , , , , inode = '']) => portOf(local) === port && inodes.has(inode))
      .map(([, , remote]) => portOf(remote)),
  );
}

/** How long an answer is waited for before it is said never to come, in milliseconds. */
const NO_ANSWER_MS = 6_000;

interface Outcome {
  /** 200, or what became of the request. */
  readonly code: number | string;
  /** The caller's side of its connection; undefined when it had none. */
  readonly port: number | undefined;
  readonly tookMs: number;
}

/** @param agent false: over a connection of its own. */
function ask(gateway: GatewayProcess, agent: Agent | false): Promise<Outcome> {
  const startMs = performance.now();
  const body = JSON.stringify({ query: '{ person(personId: "p") { name } }' });
  const headers = { ...POST_JSON, 'x-api-key': KEY };
  return new Promise((resolve) => {
    let port: number | undefined;
    const end = (code: number | string) =>
      resolve({ code, port, tookMs: performance.now() - startMs });
    const fail = (error: NodeJS.ErrnoException) => end(error.code ?? error.message);
    const asked = request({
      port: gateway.port,
      path: '/graphql',
      method: 'POST',
      agent,
      headers,
    });
    asked.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => (port = socket.localPort));
      else port = socket.localPort;
    });
    asked.on('response', (response) => {
      response.resume().on('error', fail);
      response.on('end', () => end(response.statusCode!));
    });
    asked.on('error', fail);
    asked.setTimeout(NO_ANSWER_MS, () => asked.destroy(new Error('no answer')));
    asked.end(body);
  });
}

interface Crowd {
  readonly answered: number;
  readonly failures: readonly Outcome[];
  /** Sends new connections as a load balancer does: until the gateway is not ready. */
  whileReady(): Promise<void>;
  /** Resolves when each has its last answer, or has given up waiting for one. */
  stop(): Promise<void>;
}

/** So many callers who keep a connection, and as many who make one for each request. */
function crowd(gateway: GatewayProcess, count: number): Crowd {
  const failures: Outcome[] = [];
  let answered = 0;
  let over = false;
  let sent = true;
  const call = async (agent: Agent | false): Promise<void> => {
    while (!over) {
      const outcome = agent || sent ? await ask(gateway, agent) : undefined;
      if (outcome?.code === 200) {
        answered += 1;
        continue;
      }
      if (outcome) failures.push(outcome);
      await sleep(20);
    }
    if (agent) agent.destroy();
  };
  const callers = Array.from({ length: count }, () => [
    call(new Agent({ keepAlive: true, maxSockets: 1 })),
    call(false),
  ]);
  return {
    failures,
    get answered() {
      return answered;
    },
    whileReady: async () => {
      while ((await gateway.get('/ready').catch(() => undefined))?.status === 200) await sleep(20);
      sent = false;
    },
    stop: async () => {
      over = true;
      await Promise.all(callers.flat());
    },
  };
}

describe.runIf(process.platform === 'linux')('two workers', () => {
  it('T75 SIGTERM resets none of eighty callers', async () => {
    const { gateway } = await open();
    const callers = crowd(gateway, 40);
    const balancer = callers.whileReady();
    await sleep(500);

    const exit = gateway.stop('SIGTERM');

    expect(await exit).toBe(0);
    await balancer;
    await callers.stop();
    expect(callers.answered).toBeGreaterThan(100);
    expect(callers.failures.filter(({ code }) => code !== 'ECONNREFUSED')).toEqual([]);
  });

  it('T75 a worker killed costs what was under way on its connections, and no caller waits for ever', async () => {
    const { gateway } = await open();
    const callers = crowd(gateway, 40);
    const lost: Outcome[] = [];
    const most = (pid: number) => callersOf(pid, gateway.port).size;

    for (let kills = 0; kills < 5; kills++) {
      await eventually(() => expect(workersOf(gateway)).toHaveLength(2));
      await sleep(300);
      const pid = workersOf(gateway).toSorted((a, b) => most(b) - most(a))[0]!;
      // Stopped first, so that its connections are the same when it is killed.
      process.kill(pid, 'SIGSTOP');
      await sleep(30);
      const own = callersOf(pid, gateway.port);
      const before = callers.failures.length;
      process.kill(pid, 'SIGKILL');
      await sleep(300);
      lost.push(...callers.failures.slice(before).filter(({ port }) => !port || !own.has(port)));
    }
    await callers.stop();

    expect(callers.answered).toBeGreaterThan(100);
    expect(lost).toEqual([]);
    expect(callers.failures.map(({ code }) => code)).not.toContain('no answer');
  });

  it('T79 one that hangs is replaced, and neither new callers nor /metrics wait for it', async () => {
    const { gateway } = await open();
    const [hung] = workersOf(gateway) as [number];

    process.kill(hung, 'SIGSTOP');
    // What is offered to it before it is late waits until it is replaced, and is answered then.
    const first = Array.from({ length: 4 }, () => ask(gateway, false));
    await sleep(200);
    const times: number[] = [];
    for (let i = 0; i < 20; i++) times.push((await ask(gateway, false)).tookMs);
    const metrics = await gateway.get('/metrics');

    expect(workersOf(gateway)).toContain(hung);
    expect(Math.max(...times)).toBeLessThan(1_000);
    expect(metrics.tookMs).toBeLessThan(2_500);
    expect(metrics.text).toMatch(/^gateway_worker_up\{worker="[12]"\} 0$/m);
    expect(metrics.text).toMatch(/^gateway_worker_up\{worker="[12]"\} 1$/m);
    // It is asked no more when it has been silent for two seconds.
    await eventually(async () => {
      expect((await gateway.get('/metrics')).tookMs).toBeLessThan(800);
      expect(workersOf(gateway)).toContain(hung);
    });
    await eventually(() => expect(workersOf(gateway)).not.toContain(hung), 10_000);
    await eventually(() => expect(workersOf(gateway)).toHaveLength(2));
    expect((await Promise.all(first)).map(({ code }) => code)).toEqual([200, 200, 200, 200]);
    expect(gateway.output).toContain('Worker hangs: it is killed');
    await eventually(async () => {
      const { text } = await gateway.get('/metrics');
      expect(text.match(/^gateway_worker_up\{worker="[12]"\} 1$/gm)).toHaveLength(2);
    });
  });
});
