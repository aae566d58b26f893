/**
 * `npm run load`: attacks on a built gateway in under eight minutes, and one table of what an operator wants to
 * know. Exits with 1 when a goal is missed.
 *
 * Next to each attack a victim with its own key sends requests at a fixed rate. Where processes can be pinned, the
 * gateway has core 0 to itself and everybody else core 1. `--seconds=5` is a quick look, `--only=3,7` chooses
 * by the number in front of an attack's name. Loopback only; every process is ended by its pid, also on Ctrl-C.
 */
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { offerHelp } from '../../src/app/commands/terminal.ts';
import {
  cpuMicros,
  keepOn,
  killAll,
  leaveServersAlone,
  NODE_FLAGS,
  residentMegabytes,
  start,
  waitedMs,
  type Child,
} from '../bench/machine.ts';
import { machineLine, markdownTable } from '../bench/report.ts';
import { send } from '../support/client.ts';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { attacks } from './attacks.ts';
import type { AttackerArguments } from './attacker.ts';
import type { BackendRules } from './backend.ts';
import { bodyOf, headersOf, type Attack, type AttackReport, type Post } from './definition.ts';
import { openProbe, openVictim, warmUp, type VictimReport } from './victim.ts';

/** What an operator has to rely on. */
const GOALS = {
  /** Of the victim's 99th percentile. */
  victimMs: 250,
  /** What an orchestrator's probe waits. */
  healthMs: 500,
  residentMb: 250,
  /** How much more of it than before the attack is left when a minute has passed. */
  leftMb: 50,
  /** CPU of one request of at most 100 KB. */
  requestCpuMs: 250,
  requestBytes: 100_000,
};

const LATENCY_MS = 20;
/** How long the gateway has to give memory back. */
const SETTLE_MS = 60_000;
const WARM_UP_MS = 1_500;
/** How much longer than its time an attacker may take to end. */
const GRACE_MS = 10_000;
/** A machine that makes the gateway or the victim wait for a larger part of the time measures itself. */
const BUSY = 0.2;
/** The cheapest of so many measurements counts: collecting garbage is not the request's own cost. */
const MEASUREMENTS = 3;

/** No attack comes so far; a file name cannot contain its sign. */
const UNUSED_TURN = 1_000_000;

const HELP = `npm run load -- [--seconds=12] [--only=1,3]

Attacks on a built gateway, of so many seconds each, and one table of what an operator wants to know. --only takes the
numbers in front of their names. Ends with 1 where a goal is missed.`;

interface Row {
  readonly name: string;
  readonly report: AttackReport;
  readonly victim: VictimReport;
  readonly healthMs: number;
  readonly residentMb: number;
  /** Resident memory above that before the attack, a minute after it at the latest; undefined where no one waits for it. */
  readonly leftMb: number | undefined;
  readonly cpuShare: number;
  /** The share of the time in which the gateway, or this process, was ready to run and another had the core. */
  readonly waitedShare: number;
  /** The most expensive of its requests, alone. */
  readonly dearest: { readonly name: string; readonly cpuMs: number } | undefined;
  /** What the gateway said, if it has ended by itself. */
  readonly died: string | undefined;
}

async function run(seconds: number, only: readonly string[]): Promise<0 | 1> {
  const chosen = attacks
    .map((attack, i) => ({ attack, number: String(i + 1) }))
    .filter(({ number }) => only.length === 0 || only.includes(number));
  if (chosen.length === 0) throw new Error(`--only takes 1 to ${attacks.length}.\n${HELP}`);
  leaveServersAlone();
  say(`${machineLine()} ${seconds} s an attack.\n`);
  const rows: Row[] = [];
  for (const { attack, number } of chosen) {
    const row = await attackOnce(attack, `${number} ${attack.name}`, seconds);
    rows.push(row);
    say(`${row.name}: ${missedBy(row).join(', ') || 'reached'}`);
  }
  say(`\n${tableOf(rows)}\n\n${rows.flatMap(remarksOn).join('\n')}\n`);
  const missed = rows.filter((row) => missedBy(row).length > 0).length;
  say(missed === 0 ? 'Every goal is reached.' : `Goals are missed under ${missed} attacks.`);
  return missed === 0 ? 0 : 1;
}

async function attackOnce(attack: Attack, name: string, seconds: number): Promise<Row> {
  const backend = await startBackend({ latencyMs: LATENCY_MS, ...attack.backend });
  const gateway = await startGateway(
    { UPSTREAM_URL: backend.url, NODE_ENV: 'production', ...attack.env },
    { flags: NODE_FLAGS },
  );
  const pid = gateway.process.pid!;
  keepOn(0, pid);
  try {
    await warmUp(gateway.url, WARM_UP_MS);
    const residentAtFirst = residentMegabytes(pid);
    const dearest = await dearestOf(gateway, attack.requests ?? {});
    const memory = watchMemory(pid);
    const victim = openVictim(gateway.url);
    const probe = openProbe(gateway.url);
    const beganMs = performance.now();
    const cpuAtFirst = cpuMicros(pid);
    const waitedAtFirst = [pid, process.pid].map(waitedMs);
    const report = await runAttacker({
      name: attack.name,
      url: gateway.url,
      backendUrl: backend.url,
      seconds,
    });
    const tookMs = performance.now() - beganMs;
    const cpuMs = (cpuMicros(pid) - cpuAtFirst) / 1_000;
    const waited = [pid, process.pid].map((one, i) => waitedMs(one) - waitedAtFirst[i]!);
    const [told, probed] = [await victim.stop(beganMs), await probe.stop(beganMs)];
    const residentMb = memory.stop();
    return {
      name,
      report,
      victim: told,
      healthMs: Math.max(...probed),
      residentMb,
      leftMb: attack.settles ? await settle(gateway, residentAtFirst) : undefined,
      cpuShare: cpuMs / tookMs,
      waitedShare: Math.max(...waited) / tookMs,
      dearest,
      died: gateway.process.exitCode === null ? undefined : gateway.output.slice(-300),
    };
  } finally {
    await gateway.stop('SIGKILL');
    await backend.child.stop();
  }
}

async function startBackend(rules: BackendRules): Promise<{ url: string; child: Child }> {
  const child = startScript('backend', rules);
  return { child, url: await said(child, /READY (\S+)/) };
}

async function runAttacker(given: AttackerArguments): Promise<AttackReport> {
  const child = startScript('attacker', given);
  const fuse = setTimeout(() => void child.stop(), given.seconds * 1_000 + GRACE_MS);
  const report = await said(child, /^REPORT (.*)$/m);
  clearTimeout(fuse);
  await child.ended;
  return JSON.parse(report) as AttackReport; // attacker.ts writes it with this type
}

function startScript(name: 'attacker' | 'backend', given: unknown): Child {
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  // The backend and the victim, which stand for other machines, must not wait for the attacker.
  const priority = name === 'attacker' ? '10' : '0';
  const node = [process.execPath, '--import', 'tsx', file, JSON.stringify(given)];
  return start(1, ['nice', '-n', priority, ...node]);
}

/** What a process says, as soon as it does. */
async function said(child: Child, pattern: RegExp): Promise<string> {
  let ended = false;
  void child.ended.then(() => {
    ended = true;
  });
  for (;;) {
    const found = pattern.exec(child.output())?.[1];
    if (found !== undefined) return found;
    if (ended) throw new Error(`A process ended silently: ${child.output()}`);
    await sleep(10);
  }
}

/** Resident memory of the gateway at its highest, sampled ten times a second. */
function watchMemory(pid: number) {
  let peak = 0;
  const sample = (): void => {
    peak = Math.max(peak, residentMegabytes(pid) || 0);
  };
  const timer = setInterval(sample, 100);
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      return peak;
    },
  };
}

/** Resident memory above that at first, as soon as it is little or a minute has passed; the victim continues to send requests. */
async function settle({ url, process: { pid } }: GatewayProcess, atFirst: number): Promise<number> {
  const victim = openVictim(url);
  const endMs = performance.now() + SETTLE_MS;
  let leftMb = Infinity;
  while (leftMb > GOALS.leftMb && performance.now() < endMs) {
    await sleep(1_000);
    leftMb = residentMegabytes(pid!) - atFirst;
  }
  await victim.stop(endMs);
  return leftMb;
}

/** The request that takes most CPU, asked alone. */
async function dearestOf(
  { url, process: gateway }: GatewayProcess,
  requests: NonNullable<Attack['requests']>,
): Promise<Row['dearest']> {
  let dearest: Row['dearest'];
  for (const [name, post] of Object.entries(requests)) {
    let cpuMs = Infinity;
    for (let turn = 1; turn <= MEASUREMENTS; turn++) {
      cpuMs = Math.min(cpuMs, await cpuOf(url, gateway.pid!, post(UNUSED_TURN + turn)));
    }
    if (!(cpuMs <= (dearest?.cpuMs ?? -1))) dearest = { name, cpuMs };
  }
  return dearest;
}

/** CPU in milliseconds that a request and its response take, in steps of ten. */
async function cpuOf(url: string, pid: number, post: Post): Promise<number> {
  const body = bodyOf(post);
  if (body.length > GOALS.requestBytes) throw new Error(`A request has ${body.length} bytes.`);
  const before = await idle(pid);
  await send(`${url}/graphql`, { method: 'POST', headers: headersOf(post), body });
  return ((await idle(pid)) - before) / 1_000;
}

/** Waits until a process is idle; resolves with its CPU so far in microseconds. */
async function idle(pid: number): Promise<number> {
  for (let before = NaN; ;) {
    const now = cpuMicros(pid);
    if (now === before || Number.isNaN(now)) return now;
    before = now;
    await sleep(40);
  }
}

/** The goals that the gateway missed under an attack. */
function missedBy({ report, victim, healthMs, residentMb, leftMb, dearest, died }: Row): string[] {
  const complaints = [...Object.keys(report.wrong), ...victim.wrong];
  const missed: Readonly<Record<string, boolean>> = {
    died: died !== undefined,
    wrong: complaints.length > 0,
    lost: victim.lost > 0,
    p99: !(victim.p99Ms <= GOALS.victimMs),
    '/health': !(healthMs <= GOALS.healthMs),
    RSS: !(residentMb <= GOALS.residentMb),
    'RSS later': leftMb !== undefined && !(leftMb <= GOALS.leftMb),
    CPU: dearest !== undefined && !(dearest.cpuMs <= GOALS.requestCpuMs),
  };
  return Object.keys(missed).filter((goal) => missed[goal]);
}

const COLUMNS: Readonly<Record<string, (row: Row) => string>> = {
  attack: ({ name }) => name,
  requests: ({ report }) => String(report.requests),
  CPU: ({ cpuShare }) => `${Math.round(cpuShare * 100)} %`,
  'p50, p99 ms': ({ victim }) => `${figure(victim.medianMs)}, ${figure(victim.p99Ms)}`,
  lost: ({ victim }) => `${victim.lost} of ${victim.asked}`,
  '`/health` ms': ({ healthMs }) => figure(healthMs),
  'RSS MB': ({ residentMb }) => figure(residentMb),
  'left MB': ({ leftMb }) => (leftMb === undefined ? '–' : figure(leftMb)),
  'one request: CPU ms': ({ dearest }) => (dearest ? figure(dearest.cpuMs) : '–'),
  missed: (row) => missedBy(row).join(', ') || '–',
};

const tableOf = (rows: readonly Row[]): string =>
  markdownTable(
    Object.keys(COLUMNS),
    rows.map((row) => Object.values(COLUMNS).map((cell) => cell(row))),
    1,
  );

/** What was counted, and what does not fit into the table. */
function remarksOn({ name, report, victim, dearest, died, waitedShare }: Row): string[] {
  const counted = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([what, count]) => `${what} ${count} times`);
  return [
    counted(report.facts).join(', '),
    ...(dearest ? [`the most expensive request is "${dearest.name}"`] : []),
    ...counted(report.wrong),
    ...victim.wrong,
    ...(died !== undefined ? [`The gateway ended: ${died}`] : []),
    ...(waitedShare > BUSY
      ? ['other processes had the core for a long time: latencies mean little']
      : []),
  ].map((remark) => `${name}: ${remark}`);
}

const figure = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(value < 10 ? 1 : 0) : '∞';

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

offerHelp(HELP);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.once('exit', killAll);
try {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '12' },
      only: { type: 'string', default: '' },
    },
  });
  const seconds = Number(values.seconds);
  if (!(seconds >= 2 && seconds <= 600)) throw new Error(`--seconds takes 2 to 600.\n${HELP}`);
  process.exit(await run(seconds, values.only.split(',').filter(Boolean)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
}
