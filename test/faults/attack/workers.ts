/**
 * Two workers that end under load: by SIGTERM to their primary, or by SIGKILL. Callers on connections
 * of other workers must not notice, and no caller may hang.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesOf, statusOf } from '../../bench/machine.ts';
import { bodyOf, headersOf, type Attack, type Attacker } from './definition.ts';

/** Callers that keep their connection alive, and callers that open one for each request. */
const KEEP_ALIVE = 80;
const CONNECTING = 20;

/** Between the requests of a caller: far less than a draining server waits for the next one. */
const PAUSE_MS = 20;

/** How long workers serve before one of them is ended. */
const LIFE_MS = 3_000;

const REPLACED_WITHIN_MS = 10_000;

/** A caller without an answer for so long hangs. */
const HANGS_AFTER_MS = 10_000;

interface Loss {
  /** The caller's port; undefined when it had not connected. */
  readonly port: number | undefined;
  readonly code: string;
}

interface Load {
  readonly losses: readonly Loss[];
  /** Resolves when every caller has ended: after `stop`, or when its connection is refused. */
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
      ...Array.from({ length: KEEP_ALIVE }, () => caller(true)),
      ...Array.from({ length: CONNECTING }, () => caller(false)),
    ]),
    stop: () => {
      stopped = true;
    },
  };
}

/** Resolves with how a request was lost; with undefined when it was answered. */
function askOnce({ port }: Attacker, agent: Agent, turn: number): Promise<Loss | undefined> {
  const post = { query: `{ person(personId: "w${turn}") { name } }`, key: `key-${turn % 10}` };
  return new Promise((resolve) => {
    let localPort: number | undefined;
    const lost = (code: string): void => resolve({ port: localPort, code });
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
        response.on('error', () => lost('answer cut'));
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

/** The callers' ports of all connections to `port` that a process has accepted. */
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

/** Waits until there are two workers again. */
async function isReplaced({ gatewayPid }: Attacker, killed: number): Promise<boolean> {
  for (const endMs = performance.now() + REPLACED_WITHIN_MS; performance.now() < endMs;) {
    const workers = workersOf(gatewayPid);
    if (workers.length === 2 && !workers.includes(killed)) return true;
    await sleep(50);
  }
  return false;
}

/** What a process and its children do. */
const statesOf = (pid: number): string =>
  processesOf(pid)
    .map((one) => `${one} ${statusOf(one, 'State') ?? 'gone'}`)
    .join(', ');

async function killAgainAndAgain(attacker: Attacker): Promise<void> {
  const { gatewayPid, port, seconds, count, wrong } = attacker;
  const load = openLoad(attacker);
  const own = new Set<string>();
  await sleep(500);
  while (attacker.leftMs > 1_000) {
    const [victim] = workersOf(gatewayPid);
    if (victim === undefined) break;
    // Stopped first, so that it accepts nothing while its connections are listed.
    process.kill(victim, 'SIGSTOP');
    for (const served of portsServedBy(victim, port)) own.add(`${served}`);
    process.kill(victim, 'SIGKILL');
    count('workers killed');
    if (!(await isReplaced(attacker, victim))) {
      wrong(`The killed worker ${victim} was not replaced: ${statesOf(gatewayPid)}.`);
    }
    await sleep(Math.min(attacker.leftMs, Math.max(LIFE_MS, (seconds * 1_000) / 6)));
  }
  load.stop();
  await load.ended;
  const elsewhere = load.losses.filter((loss) => !own.has(`${loss.port}`) && loss.code !== 'hangs');
  const hanging = load.losses.filter(({ code }) => code === 'hangs');
  count(
    'lost on connections of killed workers',
    load.losses.length - elsewhere.length - hanging.length,
  );
  count('lost on other connections', elsewhere.length);
  count('hanging', hanging.length);
  if (elsewhere.length > 0) {
    wrong(
      `${elsewhere.length} requests were lost on connections of other workers: ${codesOf(elsewhere)}.`,
    );
  }
  if (hanging.length > 0) wrong(`${hanging.length} callers hang.`);
}

async function terminate(attacker: Attacker): Promise<void> {
  const { gatewayPid, count, wrong } = attacker;
  const load = openLoad(attacker);
  await sleep(LIFE_MS);
  process.kill(gatewayPid, 'SIGTERM');
  // Every caller ends when its next connection is refused.
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
  // Three times, because what is lost depends on the moment.
  ...['first', 'second', 'third'].map((round) => ({
    point: 15,
    name: `two workers, SIGTERM under load, the ${round} time`,
    env: { WORKERS: '2' },
    victim: null,
    endsGateway: true,
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
