/**
 * T75: two workers on one port, which are stopped, or of which one is killed.
 *
 * SIGTERM resets no connection that is kept or was opened while the gateway was ready. A worker that is killed is
 * replaced; the requests that it had accepted are lost, and a proxy in front retries them.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { after } from '../support/faults.ts';
import { KEY, POST_JSON, type GatewayProcess } from '../support/gateway-process.ts';
import { world } from '../support/world.ts';
import { openStand, type Stand } from './stand.ts';
import { until } from '../support/until.ts';

async function open(env: Record<string, string> = {}): Promise<Stand> {
  const stand = await openStand({ WORKERS: '2', LOG_LEVEL: 'error', ...env });
  stand.upstream.on('*', after(3, world()));
  await until(() => expect(workersOf(stand.gateway)).toHaveLength(2));
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

/** The time after which a request counts as not answered, in milliseconds. */
const NO_ANSWER_MS = 6_000;

interface Outcome {
  /** The status, or the error of the request. */
  readonly code: number | string;
  /** Whether its connection may be used again. */
  readonly isKept: boolean;
}

/** @param agent false: over a connection of its own. */
function ask(gateway: GatewayProcess, agent: Agent | false): Promise<Outcome> {
  const body = JSON.stringify({ query: '{ person(personId: "p") { name } }' });
  const headers = { ...POST_JSON, 'x-api-key': KEY };
  return new Promise((resolve) => {
    const end = (code: number | string, isKept = false) => resolve({ code, isKept });
    const fail = (error: NodeJS.ErrnoException) => end(error.code ?? error.message);
    const asked = request({
      port: gateway.port,
      path: '/graphql',
      method: 'POST',
      agent,
      headers,
    });
    asked.on('response', (response) => {
      response.resume().on('error', fail);
      const isKept = response.headers.connection === 'keep-alive';
      response.on('end', () => end(response.statusCode!, isKept));
    });
    asked.on('error', fail);
    asked.setTimeout(NO_ANSWER_MS, () => asked.destroy(new Error('no answer')));
    asked.end(body);
  });
}

interface Crowd {
  readonly answered: number;
  readonly failures: readonly Outcome[];
  /** Allows new connections until the gateway is not ready, as a load balancer does. */
  whileReady(): Promise<void>;
  /** Resolves when each caller has its last answer, or has given up waiting for one. */
  stop(): Promise<void>;
}

/** `count` callers who keep a connection, and as many who open one for each request. */
function crowd(gateway: GatewayProcess, count: number): Crowd {
  const failures: Outcome[] = [];
  let answered = 0;
  let over = false;
  let sent = true;
  const call = async (agent: Agent | false): Promise<void> => {
    let isKept = false;
    while (!over) {
      const outcome: Outcome | undefined = sent || isKept ? await ask(gateway, agent) : undefined;
      isKept = outcome?.isKept === true;
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
  it('T75 answer all of thirty callers when they stop on SIGTERM', async () => {
    // Long enough for the balancer to see that it is not ready, on a busy machine too.
    const { gateway } = await open({ DRAIN_DELAY_MS: '3000' });
    const callers = crowd(gateway, 15);
    const balancer = callers.whileReady();
    await until(() => callers.answered > 50);

    const exit = gateway.stop('SIGTERM');

    expect(await exit).toBe(0);
    await balancer;
    await callers.stop();
    expect(callers.failures).toEqual([]);
  });

  it('T75 replace one that is killed, and go on answering', async () => {
    const { gateway } = await open();
    const callers = crowd(gateway, 40);
    const [killed] = workersOf(gateway) as [number];
    await until(() => callers.answered > 50);

    process.kill(killed, 'SIGKILL');
    await until(() => expect(workersOf(gateway)).not.toContain(killed));
    await until(() => expect(workersOf(gateway)).toHaveLength(2), 10_000);
    const { answered } = callers;
    await until(() => callers.answered > answered + 50);
    await callers.stop();

    expect(gateway.output).toContain('Worker ended: another is started');
    expect((await ask(gateway, false)).code).toBe(200);
  });
});
