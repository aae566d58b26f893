/**
 * Two workers that end under load: one told to, and one killed. Whose connection was another's must
 * not notice, and nobody may be left without an end.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesOf } from '../../bench/machine.ts';
import { bodyOf, headersOf, type Attack, type Attacker } from './definition.ts';

/** Callers who keep their connection, and who take a new one for each request. */
const KEEPING = 80;
const CONNECTING = 20;

/** Between the requests of a caller: less than a server that drains waits for the next one. */
const PAUSE_MS = 20;

/** A new worker takes about a second to be as fast as the one before it. */
const LIFE_MS = 3_000;

/** After so long without an end, a caller hangs. */
const HANGS_AFTER_MS = 10_000;

interface Loss {
  /** The caller's port; undefined when it was never connected. */
  readonly port: number | undefined;
  readonly code: string;
  readonly atMs: number;
}

interface Load {
  readonly losses: readonly Loss[];
  /** Ends when all callers have; each ends after its answer, once `stop` or a refusal says so. */
  readonly ended: Promise<unknown>;
  stop(): void;
}

function openLoad(attacker: Attacker): Load {
  const losses: Loss[] = [];
  let stopped = false;
  let turn = 0;
  const caller = async (keepAlive: boolean): Promise<void> => {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    agent.createConnection = () => attacker.connect();
    while (!stopped) {
      const loss = await askOnce(attacker, agent, turn++);
      attacker.count('requests');
      if (loss?.code === 'ECONNREFUSED') break; // nobody listens any more
      if (loss) losses.push(loss);
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
    agent.destroy();
  };
  return {
    losses,
    ended: Promise.all([
      ...Array.from({ length: KEEPING }, () => caller(true)),
      ...Array.from({ length: CONNECTING }, () => caller(false)),
    ]),
    stop: () => {
      stopped = true;
    },
  };
}

/** Answers how a request was lost; undefined when it was answered. */
function askOnce({ port }: Attacker, agent: Agent, turn: number): Promise<Loss | undefined> {
  const post = { query: `{ person(personId: "w${turn}") { name } }`, key: `key-${turn % 10}` };
  return new Promise((resolve) => {
    let localPort: number | undefined;
    const lost = (code: string): void =>
      resolve({ port: localPort, code, atMs: performance.now() });
    const request = send(
      {
        port,
        host: '127.0.0.1',
        path: '/graphql',
        method: 'POST',
        agent,
        headers: headersOf(post),
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(undefined));
        response.on('error', () => lost('cut in its answer'));
      },
    );
    request.on('socket', (socket) => {
      localPort = socket.localPort;
      socket.once('connect', () => {
        localPort = socket.localPort;
      });
    });
    request.on('error', (error: Error & { code?: string }) => lost(error.code ?? error.message));
    request.setTimeout(HANGS_AFTER_MS, () => {
      lost('hangs');
      request.destroy();
    });
    request.end(bodyOf(post));
  });
}

/** The callers' ports of the connections that a process holds to a port of ours. */
function portsServedBy(pid: number, port: number): Set<number> {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return []; // closed meanwhile
      }
    }),
  );
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8').trim().split('\n').slice(1),
  );
  const portIn = (address = ''): number => parseInt(address.split(':')[1] ?? '', 16);
  return new Set(
    rows
      .map((row) => row.trim().split(/\s+/))
      .filter((cells) => portIn(cells[1]) === port && inodes.has(cells[9] ?? ''))
      .map((cells) => portIn(cells[2])),
  );
}

const workersOf = (primary: number): number[] => processesOf(primary).slice(1);

async function untilWorkers({ gatewayPid, seconds }: Attacker, count: number): Promise<boolean> {
  for (let waited = 0; waited < 1_000 * seconds + 5_000; waited += 50) {
    if (workersOf(gatewayPid).length === count) return true;
    await sleep(50);
  }
  return false;
}

async function killAgainAndAgain(attacker: Attacker): Promise<void> {
  const { gatewayPid, port, seconds, count, wrong } = attacker;
  const load = openLoad(attacker);
  const own = new Set<string>();
  await sleep(500);
  while (attacker.leftMs > 1_000) {
    const [victim] = workersOf(gatewayPid);
    if (victim === undefined) break;
    // It stands still while we look whose connections it has.
    process.kill(victim, 'SIGSTOP');
    for (const served of portsServedBy(victim, port)) own.add(`${served}`);
    process.kill(victim, 'SIGKILL');
    count('workers killed');
    if (!(await untilWorkers(attacker, 2))) wrong('A worker that was killed was not replaced.');
    await sleep(Math.min(attacker.leftMs, Math.max(LIFE_MS, (seconds * 1_000) / 6)));
  }
  load.stop();
  await load.ended;
  const besides = load.losses.filter((loss) => !own.has(`${loss.port}`) && loss.code !== 'hangs');
  const hanging = load.losses.filter(({ code }) => code === 'hangs');
  count('lost on connections of the dead', load.losses.length - besides.length - hanging.length);
  count('lost besides', besides.length);
  count('hanging', hanging.length);
  if (besides.length > 0) {
    wrong(`${besides.length} requests were lost on connections of others: ${codesOf(besides)}.`);
  }
  if (hanging.length > 0) wrong(`${hanging.length} callers hang.`);
}

async function terminate(attacker: Attacker): Promise<void> {
  const { gatewayPid, count, wrong } = attacker;
  const load = openLoad(attacker);
  await sleep(LIFE_MS);
  process.kill(gatewayPid, 'SIGTERM');
  // Callers end when they are refused a connection.
  const fuse = setTimeout(() => {
    wrong('The port was still open ten seconds after SIGTERM.');
    load.stop();
  }, 10_000);
  await load.ended;
  clearTimeout(fuse);
  count('lost', load.losses.length);
  if (load.losses.length > 0) {
    wrong(`${load.losses.length} requests were lost: ${codesOf(load.losses)}.`);
  }
}

const codesOf = (losses: readonly Loss[]): string =>
  [...new Set(losses.map(({ code }) => code))]
    .map((code) => `${losses.filter((loss) => loss.code === code).length} ${code}`)
    .join(', ');

export const attacks: readonly Attack[] = [
  // More than once, because what it loses depends on the moment.
  ...['first', 'second', 'third'].map((round) => ({
    point: 15,
    name: `two workers, SIGTERM under load, the ${round} time`,
    env: { WORKERS: '2' },
    victim: null,
    run: terminate,
  })),
  {
    point: 15,
    name: 'two workers, one killed again and again',
    env: { WORKERS: '2' },
    victim: null,
    run: killAgainAndAgain,
  },
];
