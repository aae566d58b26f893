/**
 * `npm run attack`: every attack we know against a built gateway, a minute each, and a table of what
 * it cost the attacker, the gateway and a victim. Ends with 1 when a goal is missed.
 *
 * `--seconds=5` is a quick look; `--only=3,7` chooses by the number in front of an attack, and
 * `--only=search` the search for the dearest document, which `--seed` repeats and `--case` shows.
 * Loopback only; every process it starts is ended by its pid, also on Ctrl-C.
 */
import { inspect, parseArgs } from 'node:util';
import { machineLine } from '../../bench/report.ts';
import { killAll } from '../../bench/machine.ts';
import { fight, killRunning, type BeforeAndDuring, type Fight } from './arena.ts';
import { isBroken, openCostMeter, type Cost, type CostMeter } from './cost.ts';
import type { Attack } from './definition.ts';
import { attacks as documents } from './documents.ts';
import { attacks as failingBackend } from './failing-backend.ts';
import { attacks as floods } from './floods.ts';
import { caseOf, search, type Found, type SearchReport } from './search.ts';
import { attacks as workers } from './workers.ts';

/** Attacks by the file they are written in: attackers load it by its name. */
const FAMILIES = { documents, floods, 'failing-backend': failingBackend, workers };

const GOALS = {
  /** CPU of a request beyond what its answer is worth. */
  overMs: 100,
  residentMb: 500,
  /** What memory may keep, where it is said to return. */
  keptMb: 60,
  /** The victim's median, of what it was. */
  slowdown: 2,
  probeMs: 50,
  /** Answers of the victim that may fail. */
  failedShare: 0.01,
};

/** The part of its time that a gateway may wait for its core before the latencies mean nothing. */
const BUSY = 0.2;

/** Each request of an attack is measured so often. */
const MEASUREMENTS = 3;

const HELP = `npm run attack -- [--seconds=60] [--only=1,3,search] [--seed=1] [--case=shape:17]`;

/** The command line says what is not in HELP. */
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
  readonly fight: Fight;
  /** Of the dearest of its requests, alone. */
  readonly cost: Cost | undefined;
  readonly missed: readonly string[];
}

/** Answers the exit status. */
async function run(options: Options): Promise<0 | 1> {
  const chosen = Object.entries(FAMILIES)
    .flatMap(([family, attacks]) => attacks.map((attack) => ({ family, attack })))
    .filter(({ attack }) => isChosen(options, String(attack.point)))
    .toSorted((a, b) => a.attack.point - b.attack.point);
  const searches = isChosen(options, 'search');
  if (chosen.length === 0 && !searches) throw new OptionError(`Nothing is chosen.\n${HELP}`);
  say(`${machineLine()} ${options.seconds} s an attack.\n`);

  let found: SearchReport = { dearest: [], broken: [] };
  const costs = new Map<Attack, Cost>();
  const meter = await openCostMeter();
  say(
    `A value costs ${(meter.valueMs * 1_000).toFixed(2)} µs, by a legitimate answer of ${meter.valuesOfAnswer} values.\n`,
  );
  try {
    if (options.case !== undefined) return await showCase(meter, options, options.case);
    for (const { attack } of chosen) {
      const cost = await dearest(meter, attack);
      if (cost) costs.set(attack, cost);
    }
    if (searches) found = await search(meter, options.seed, options.seconds);
  } finally {
    await meter.close();
  }
  if (searches) say(`${tableOfFound(found)}\n`);

  const rows: Row[] = [];
  for (const { family, attack } of chosen) {
    process.stderr.write(`${attack.point} ${attack.name} …\n`);
    const fought = await fight(attack, family, options.seconds);
    const cost = costs.get(attack);
    const missed = missedBy(fought, cost);
    rows.push({ fight: fought, cost, missed });
    process.stderr.write(`  ${missed.length === 0 ? 'reached' : `missed: ${missed.join(', ')}`}\n`);
  }
  if (rows.length > 0) say(`${tableOf(rows)}\n\n${rows.flatMap(remarksOn).join('\n')}\n`);

  const tooDear = found.dearest.filter(({ cost }) => cost.overMs > GOALS.overMs);
  const faults = tooDear.length + found.broken.length;
  const missed = rows.filter((row) => row.missed.length > 0);
  say(
    missed.length + faults === 0
      ? 'Every goal is reached.'
      : `Goals are missed by ${missed.length} of ${rows.length} attacks and ${faults} documents.`,
  );
  return missed.length + faults === 0 ? 0 : 1;
}

async function dearest(meter: CostMeter, { requests = [] }: Attack): Promise<Cost | undefined> {
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

/** The goals an attack has pushed the gateway beyond, in words. */
function missedBy(fought: Fight, cost: Cost | undefined): string[] {
  const { attack, victim, healthMs, readyMs, residentMb, report, died } = fought;
  const missed: string[] = [];
  if (died !== undefined) missed.push('died');
  if (cost && cost.overMs > GOALS.overMs) missed.push('CPU');
  if (cost && isBroken(cost)) missed.push('broken answer');
  if (residentMb.peak > GOALS.residentMb) missed.push('RSS');
  if (attack.returnsMemory && !(residentMb.after - residentMb.before <= GOALS.keptMb)) {
    missed.push('memory kept');
  }
  if (victim) {
    const { before, during } = victim;
    const slowdowns = [...before.medianMs].map(
      ([kind, ms]) => (during.medianMs.get(kind) ?? Infinity) / ms,
    );
    if (!(Math.max(...slowdowns) <= GOALS.slowdown)) missed.push('victim');
    if (during.failed > GOALS.failedShare * during.asked) missed.push('lost answers');
    if (healthMs.during > GOALS.probeMs) missed.push('/health');
    // Whether the backend is there takes as long as asking it; where it fails, as long as it likes.
    const backendMs = attack.backend?.latencyMs ?? 20;
    if (!attack.faults && readyMs.during > GOALS.probeMs + backendMs) missed.push('/ready');
  }
  if (report.wrong.length > 0) missed.push('wrong');
  return missed;
}

const COLUMNS: readonly (readonly [string, (row: Row) => string])[] = [
  ['attack', ({ fight: { attack } }) => `${attack.point} ${attack.name}`],
  ['requests', ({ fight: { report } }) => String(report.requests)],
  ['KB sent', ({ fight: { report } }) => figure(report.bytesSent / 1_000)],
  ['connections', ({ fight: { report } }) => String(report.connections)],
  [
    'CPU s',
    ({ fight: { cpuSeconds, attackedSeconds } }) =>
      `${figure(cpuSeconds)} of ${figure(attackedSeconds)}`,
  ],
  ['alone: CPU ms', ({ cost }) => (cost ? figure(cost.cpuMs) : '–')],
  ['over worth', ({ cost }) => (cost ? figure(cost.overMs) : '–')],
  ['lookup p50', (row) => medians(row, 'lookup')],
  ['screen p50', (row) => medians(row, 'screen')],
  [
    'p99',
    ({ fight: { victim } }) =>
      victim ? arrow({ before: victim.before.p99Ms, during: victim.during.p99Ms }) : '–',
  ],
  [
    'lost',
    ({ fight: { victim } }) => (victim ? `${victim.during.failed} of ${victim.during.asked}` : '–'),
  ],
  ['calls/s', ({ fight: { victim, victimCalls } }) => (victim ? arrow(victimCalls) : '–')],
  ['/health', ({ fight: { victim, healthMs } }) => (victim ? arrow(healthMs) : '–')],
  ['/ready', ({ fight: { victim, readyMs } }) => (victim ? arrow(readyMs) : '–')],
  [
    'RSS MB',
    ({ fight: { residentMb } }) =>
      [residentMb.before, residentMb.peak, residentMb.after].map(figure).join(' → '),
  ],
  ['', ({ missed }) => (missed.length === 0 ? 'reached' : `MISSED: ${missed.join(', ')}`)],
];

function tableOf(rows: readonly Row[]): string {
  return aligned([
    COLUMNS.map(([title]) => title),
    ...rows.map((row) => COLUMNS.map(([, cell]) => cell(row))),
  ]);
}

function medians({ fight: { victim } }: Row, kind: string): string {
  const before = victim?.before.medianMs.get(kind);
  return victim && before !== undefined
    ? arrow({ before, during: victim.during.medianMs.get(kind) ?? Infinity })
    : '–';
}

/** What the attack itself counted, and whatever else the table has no place for. */
function remarksOn({
  fight: { attack, report, died, waitedSeconds, attackedSeconds },
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
          `The gateway waited ${figure(waitedSeconds)} s for its core: the machine had other things to do, and times tell little.`,
        ]
      : []),
    ...report.wrong,
  ];
  return lines.map((line) => `${attack.point} ${attack.name}: ${line}`);
}

function tableOfFound({ dearest, broken }: SearchReport): string {
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
  const tables = [aligned([['dearest documents', ...head], ...dearest.map(line)])];
  if (broken.length > 0) {
    tables.push(aligned([['answered as nothing may be', ...head], ...broken.map(line)]));
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

const arrow = ({ before, during }: BeforeAndDuring<number>): string =>
  `${figure(before)} → ${figure(during)}`;

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
    if (!(seconds >= 2 && seconds <= 600))
      throw new Error('--seconds takes a number from 2 to 600.');
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
