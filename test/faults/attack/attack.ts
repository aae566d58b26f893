/**
 * `npm run attack`: every known attack against a built gateway, a minute each, and a table of what it
 * cost the attacker, the gateway and a victim. Exits with 1 when a goal is missed.
 *
 * The victim is compared with itself beside honest callers who make as many REST calls a second as the
 * attacker did (column `control`; `others` are those calls, during the attack and the control). The gateway
 * has core 0 to itself, everybody else is on core 1.
 *
 * `--seconds=5` is a quick look. `--only=3,7` chooses by the number in front of an attack's name,
 * `--only=search` the search for the most expensive document; `--seed` repeats a search, and
 * `--case=shape:17` shows one of its documents. Loopback only; every process is ended by its pid, also
 * on Ctrl-C.
 *
 *  1 cycles that multiply an answer        8 names of prototypes
 *  2 planning                             10 answers of empty objects
 *  3 a backend that fails in part         13 1xx and 206 from the backend
 *  4 one key that ignores Retry-After     14 writes that are answered wrongly
 *  5 validation and introspection         15 workers that end under load
 *  6 invented keys                        search: the most expensive document
 *  7 connections                         20 other ways in and out
 */
import { inspect, parseArgs } from 'node:util';
import { killAll, leaveServersAlone } from '../../bench/machine.ts';
import { machineLine } from '../../bench/report.ts';
import { attacks as carriers } from './carriers.ts';
import { isBroken, openCostMeter, type Cost, type CostMeter } from './cost.ts';
import type { Attack } from './definition.ts';
import { attacks as documents } from './documents.ts';
import { attacks as failingBackend } from './failing-backend.ts';
import { attacks as floods } from './floods.ts';
import { killRunning, runAttack, type AttackResult } from './run-attack.ts';
import { caseOf, search, type Found, type SearchReport } from './search.ts';
import type { VictimReport } from './victim.ts';
import { attacks as workers } from './workers.ts';

/** Attacks by the file they are in: the attacker's process loads it by name. */
const FAMILIES = { documents, floods, carriers, 'failing-backend': failingBackend, workers };

const GOALS = {
  /** CPU of a request beyond what its answer is worth. */
  overMs: 100,
  residentMb: 500,
  /** By how much memory may be above what it was before, for attacks that say so. */
  keptMb: 60,
  /**
   * The victim's median during the attack, divided by the one beside honest callers who make as many REST
   * calls.
   */
  slowdown: 2,
  probeMs: 50,
  /** The share of the victim's requests that may fail. */
  failedShare: 0.01,
};

/** A gateway that waits for its core for a larger part of the time makes latencies meaningless. */
const BUSY = 0.2;

/** How often each request of an attack is measured alone. */
const MEASUREMENTS = 3;

const HELP = `npm run attack -- [--seconds=60] [--only=1,3,search] [--seed=1] [--case=shape:17]`;

/** The command line holds what HELP does not allow. */
class OptionError extends Error {
  override readonly name = 'OptionError';
}

interface Options {
  readonly seconds: number;
  readonly only: readonly string[];
  readonly seed: number;
  readonly case: string | undefined;
}

interface Row {
  readonly result: AttackResult;
  /** Of the most expensive of its requests, alone. */
  readonly cost: Cost | undefined;
  readonly missed: readonly string[];
}

/** Resolves with the exit status. */
async function run(options: Options): Promise<0 | 1> {
  const chosen = Object.entries(FAMILIES)
    .flatMap(([family, attacks]) => attacks.map((attack) => ({ family, attack })))
    .filter(({ attack }) => isChosen(options, String(attack.point)))
    .toSorted((a, b) => a.attack.point - b.attack.point);
  const searches = isChosen(options, 'search');
  if (chosen.length === 0 && !searches) throw new OptionError(`Nothing is chosen.\n${HELP}`);
  // It asks for `/health` itself, and would wait for its core behind the gateway.
  leaveServersAlone();
  say(`${machineLine()} ${options.seconds} s an attack.\n`);

  let found: SearchReport = { mostExpensive: [], broken: [] };
  const costs = new Map<Attack, Cost>();
  const meter = await openCostMeter();
  say(
    `A value costs ${(meter.valueMs * 1_000).toFixed(2)} µs, by a legitimate answer of ${meter.valuesOfAnswer} values.\n`,
  );
  try {
    if (options.case !== undefined) return await showCase(meter, options, options.case);
    for (const { attack } of chosen) {
      const cost = await mostExpensive(meter, attack);
      if (cost) costs.set(attack, cost);
    }
    if (searches) found = await search(meter, options.seed, options.seconds);
  } finally {
    await meter.close();
  }
  if (searches) say(`${tableOfFound(found)}\n`);

  const rows: Row[] = [];
  let failures = 0;
  for (const { family, attack } of chosen) {
    say(`${attack.point} ${attack.name} …`);
    try {
      const result = await runAttack(attack, family, options.seconds);
      const cost = costs.get(attack);
      const row = { result, cost, missed: missedBy(result, cost) };
      rows.push(row);
      say(`  ${figuresOf(row)}`);
    } catch (error) {
      // The others are still worth their time.
      failures += 1;
      say(`  could not be carried out: ${inspect(error)}`);
    }
  }
  if (rows.length > 0) say(`\n${tableOf(rows)}\n\n${rows.flatMap(remarksOn).join('\n')}\n`);

  const tooExpensive = found.mostExpensive.filter(({ cost }) => cost.overMs > GOALS.overMs);
  const faults = tooExpensive.length + found.broken.length;
  const missed = rows.filter((row) => row.missed.length > 0);
  if (missed.length + faults + failures === 0) {
    say('Every goal is reached.');
    return 0;
  }
  say(
    `Goals are missed under ${missed.length} of ${rows.length} attacks and by ${faults} documents of the search; ${failures} attacks could not be carried out.`,
  );
  return 1;
}

async function mostExpensive(
  meter: CostMeter,
  { requests = [] }: Attack,
): Promise<Cost | undefined> {
  const costs: Cost[] = [];
  for (const request of requests) costs.push(await meter.measureBest(request, MEASUREMENTS));
  return costs.toSorted((a, b) => b.overMs - a.overMs)[0];
}

async function showCase(meter: CostMeter, { seed }: Options, name: string): Promise<0 | 1> {
  const post = caseOf(seed, name);
  if (!post) throw new OptionError(`There is no case "${name}".\n${HELP}`);
  const cost = await meter.measureBest(() => post, MEASUREMENTS);
  say(`${JSON.stringify(post, null, 1)}\n\n${inspect(cost)}`);
  return cost.overMs > GOALS.overMs ? 1 : 0;
}

/** The goals that the gateway missed under an attack. */
function missedBy(result: AttackResult, cost: Cost | undefined): string[] {
  const { attack, victim, healthMs, readyMs, adminHealthMs, residentMb, report, died } = result;
  const missed: string[] = [];
  if (died !== undefined) missed.push('died');
  if (cost && cost.overMs > GOALS.overMs) missed.push('CPU');
  if (cost && isBroken(cost)) missed.push('broken answer');
  if (residentMb.peak > GOALS.residentMb) missed.push('RSS');
  if (attack.returnsMemory && !(residentMb.after - residentMb.before <= GOALS.keptMb)) {
    missed.push('memory kept');
  }
  if (victim) {
    const { control, during } = victim;
    const slowdowns = [...control.medianMs].map(
      ([kind, ms]) => (during.medianMs.get(kind) ?? Infinity) / ms,
    );
    if (!(Math.max(...slowdowns) <= GOALS.slowdown)) missed.push('victim');
    if (during.failed > GOALS.failedShare * during.asked) missed.push('lost answers');
    if (healthMs.during > GOALS.probeMs) missed.push('/health');
    if (adminHealthMs.during > GOALS.probeMs) missed.push('/health of ADMIN_PORT');
    // It asks the backend, so it takes as long as that does; nothing can be said where that fails.
    const backendMs = attack.backend?.latencyMs ?? 20;
    if (!attack.faults && readyMs.during > GOALS.probeMs + backendMs) missed.push('/ready');
  }
  if (report.wrong.length > 0) missed.push('wrong');
  return missed;
}

const COLUMNS: readonly (readonly [string, (row: Row) => string])[] = [
  ['attack', ({ result: { attack } }) => `${attack.point} ${attack.name}`],
  ['requests', ({ result: { report } }) => String(report.requests)],
  ['KB sent', ({ result: { report } }) => figure(report.bytesSent / 1_000)],
  ['connections', ({ result: { report } }) => String(report.connections)],
  [
    'CPU s',
    ({ result: { cpuSeconds, attackedSeconds } }) =>
      `${figure(cpuSeconds)} of ${figure(attackedSeconds)}`,
  ],
  ['alone: CPU ms', ({ cost }) => (cost ? figure(cost.cpuMs) : '–')],
  ['over worth', ({ cost }) => (cost ? figure(cost.overMs) : '–')],
  ['lookup p50', (row) => medians(row, 'lookup')],
  ['screen p50', (row) => medians(row, 'screen')],
  ['control', ({ result: { victim } }) => (victim ? controlOf(victim.control) : '–')],
  [
    'p99',
    ({ result: { victim } }) =>
      victim ? arrow(victim.before.p99Ms, victim.during.p99Ms, victim.after?.p99Ms) : '–',
  ],
  [
    'lost',
    ({ result: { victim } }) =>
      victim ? `${victim.during.failed} of ${victim.during.asked}` : '–',
  ],
  [
    'calls/s',
    ({ result: { victim, victimCalls } }) =>
      victim ? arrow(victimCalls.before, victimCalls.during) : '–',
  ],
  [
    'others',
    ({ result: { victim, otherCalls } }) =>
      victim ? `${figure(otherCalls.attack)}, ${figure(otherCalls.control)}` : '–',
  ],
  [
    '/health',
    ({ result: { victim, healthMs } }) => (victim ? arrow(healthMs.before, healthMs.during) : '–'),
  ],
  [
    '/ready',
    ({ result: { victim, readyMs } }) => (victim ? arrow(readyMs.before, readyMs.during) : '–'),
  ],
  [
    '/health of ADMIN_PORT',
    ({ result: { victim, adminHealthMs } }) =>
      victim ? arrow(adminHealthMs.before, adminHealthMs.during) : '–',
  ],
  [
    'RSS MB',
    ({ result: { residentMb } }) => arrow(residentMb.before, residentMb.peak, residentMb.after),
  ],
  ['', ({ missed }) => (missed.length === 0 ? 'reached' : `MISSED: ${missed.join(', ')}`)],
];

/** On one line, for who ends the run before its table. */
const figuresOf = (row: Row): string =>
  COLUMNS.slice(1)
    .map(([title, cell]) => `${title} ${cell(row)}`.trim())
    .join('; ');

function tableOf(rows: readonly Row[]): string {
  return aligned([
    COLUMNS.map(([title]) => title),
    ...rows.map((row) => COLUMNS.map(([, cell]) => cell(row))),
  ]);
}

const controlOf = ({ medianMs }: VictimReport): string =>
  [...medianMs.values()].map(figure).join(', ');

function medians({ result: { victim } }: Row, kind: string): string {
  const before = victim?.before.medianMs.get(kind);
  return victim && before !== undefined
    ? arrow(before, victim.during.medianMs.get(kind) ?? Infinity, victim.after?.medianMs.get(kind))
    : '–';
}

/** What the attack counted, and what does not fit into the table. */
function remarksOn({
  result: { attack, report, died, waitedSeconds, helpersSeconds, attackedSeconds },
  cost,
}: Row): string[] {
  const facts = Object.entries(report.facts).map(([fact, times]) => `${times} ${fact}`);
  const lines = [
    ...(facts.length > 0 ? [facts.join(', ')] : []),
    ...(cost
      ? [
          `alone: ${cost.status}, ${cost.bytes} bytes, ${cost.values} values: ${cost.head.slice(0, 120)}`,
        ]
      : []),
    ...(died !== undefined ? [`The gateway ${died}`] : []),
    ...(waitedSeconds > BUSY * attackedSeconds
      ? [
          `The gateway waited ${figure(waitedSeconds)} s for its core behind other processes: the machine was busy, and latencies mean little.`,
        ]
      : []),
    ...(helpersSeconds > BUSY * attackedSeconds
      ? [`V8's helper threads used the gateway's core for ${figure(helpersSeconds)} s.`]
      : []),
    ...report.wrong,
  ];
  return lines.map((line) => `${attack.point} ${attack.name}: ${line}`);
}

function tableOfFound({ mostExpensive, broken }: SearchReport): string {
  const line = ({ name, bytes, cost }: Found): string[] => [
    name,
    String(bytes),
    String(cost.status),
    figure(cost.cpuMs),
    String(cost.bytes),
    String(cost.values),
    `${figure(cost.overMs)}${cost.overMs > GOALS.overMs ? ' MISSED' : ''}`,
    cost.head.slice(0, 60).replace(/\s+/g, ' '),
  ];
  const head = ['bytes', 'status', 'CPU ms', 'answer bytes', 'values', 'over worth', 'answer'];
  const tables = [aligned([['most expensive documents', ...head], ...mostExpensive.map(line)])];
  if (broken.length > 0) {
    tables.push(aligned([['unexpected errors', ...head], ...broken.map(line)]));
  }
  return tables.join('\n\n');
}

/** A Markdown table whose columns are as wide as their widest cell. */
function aligned(lines: readonly (readonly string[])[]): string {
  const [head = [], ...rows] = lines;
  const all = [head, head.map((_, i) => (i === 0 ? '---' : '--:')), ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((line) => line[i]!.length)));
  return all
    .map(
      (line) =>
        `| ${line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`,
    )
    .join('\n');
}

/** Before, during and, where it is known, after. */
const arrow = (...values: (number | undefined)[]): string =>
  values
    .filter((value) => value !== undefined)
    .map(figure)
    .join(' → ');

function figure(value: number): string {
  if (Number.isNaN(value)) return '–';
  return Number.isFinite(value) ? value.toFixed(value < 10 ? 1 : 0) : '∞';
}

function isChosen({ only }: Options, name: string): boolean {
  return only.length === 0 || only.includes(name);
}

function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seconds: { type: 'string', default: '60' },
        only: { type: 'string', default: '' },
        seed: { type: 'string', default: '1' },
        case: { type: 'string' },
      },
    });
    const seconds = Number(values.seconds);
    if (!(seconds >= 2 && seconds <= 600)) throw new Error('--seconds takes 2 to 600.');
    const only = values.only.split(',').filter((name) => name !== '');
    return { seconds, only, seed: Number(values.seed), case: values.case };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new OptionError(`${message}\n${HELP}`, { cause });
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.on('exit', () => {
  killRunning();
  killAll();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

try {
  process.exitCode = await run(readOptions(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof OptionError ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
process.exit();
