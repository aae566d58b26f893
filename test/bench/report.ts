/**
 * The findings as one Markdown table, and the goals they are held to.
 */
import { availableParallelism, cpus } from 'node:os';
import type { Server } from './contestants.ts';
import type { LookAhead } from './look-ahead.ts';
import { isPinning } from './machine.ts';
import type { Measured } from './measure.ts';
import { SCREEN } from './queries.ts';
import { LATENCY_MS, type Wall } from './wall.ts';

export interface Row extends Measured {
  readonly wall: Wall;
}

export interface Findings {
  readonly rows: readonly Row[];
  readonly servers: readonly Server[];
  readonly lookAhead: LookAhead | undefined;
  /** One lookup at the upstream's own door, in milliseconds. */
  readonly directMs: number;
}

const COLUMNS: readonly (readonly [string, (row: Row) => string])[] = [
  ['', ({ query }) => query.name],
  ['server', ({ server }) => server.contestant.name],
  ['requests/s', ({ requestsPerSecond }) => figure(requestsPerSecond)],
  ['p50 ms', ({ p50Ms }) => figure(p50Ms)],
  ['p99 ms', ({ p99Ms }) => figure(p99Ms)],
  ['p99.9 ms', ({ p999Ms }) => figure(p999Ms)],
  ['CPU µs', ({ cpuMicros }) => figure(cpuMicros)],
  ['calls', ({ wall, calls }) => `${wall.calls} (${calls.toFixed(1)})`],
  ['rounds', ({ wall }) => String(wall.rounds)],
  [`wall at ${LATENCY_MS} ms`, ({ wall }) => `${wall.wallMs.toFixed(1)} ms`],
  ['RSS MB', ({ residentMb }) => figure(residentMb)],
  ['ours ÷ theirs, requests/s', ({ rateRatio }) => times(rateRatio)],
  ['theirs ÷ ours, CPU', ({ cpuRatio }) => times(cpuRatio)],
];

export const tableOf = (rows: readonly Row[]): string =>
  markdownTable(
    COLUMNS.map(([title]) => title),
    rows.map((row) => COLUMNS.map(([, cell]) => cell(row))),
    2,
  );

/** A Markdown table whose columns are as wide as their widest cell; the first `left` of them are text. */
export function markdownTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  left: number,
): string {
  const lines = [titles, titles.map((_, i) => (i < left ? '---' : '--:')), ...rows];
  const widths = titles.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  const pad = (cell: string, i: number) =>
    i < left ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!);
  return lines.map((line) => `| ${line.map(pad).join(' | ')} |`).join('\n');
}

export const machineLine = (): string =>
  `Node ${process.versions.node}, ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, ${
    isPinning() ? 'servers on core 0, load and upstream on core 1' : 'nothing pinned to a core'
  }.`;

/** Lines that say what the table does not. */
export function remarksOf({ servers, lookAhead, directMs, rows }: Findings): string[] {
  const ready = servers.map(
    ({ contestant, readyMs }) => `${contestant.name} ${Math.round(readyMs)} ms`,
  );
  const lookup = ours(rows).find(({ query }) => query.calls === 1);
  return [
    'calls: of one request alone, and in brackets a request under load (fewer where calls were shared).',
    `Start to first answer: ${ready.join(', ')}.`,
    ...(lookup ? [`Added to one lookup of ${LATENCY_MS} ms: ${added(lookup, directMs)} ms.`] : []),
    ...(lookAhead
      ? [
          `The nested query at ${LATENCY_MS} ms, in process: ${lookAhead.withMs.toFixed(1)} ms with look-ahead, ${lookAhead.withoutMs.toFixed(1)} ms without: ${(lookAhead.withMs / lookAhead.withoutMs).toFixed(2)} of it.`,
        ]
      : []),
  ];
}

/** Each goal with what was seen; a goal without figures is left out. */
export function goalsOf({ rows, servers, directMs }: Findings, isShared: boolean): string[] {
  const own = ours(rows);
  const against = (kind: string) => rows.filter((row) => row.server.contestant.kind === kind);
  const of = (kind: string, name: string) =>
    against(kind).filter(({ query }) => query.name === name);
  const lookup = own.find(({ query }) => query.calls === 1);
  const screen = own.find(({ query }) => query.name === SCREEN);
  const readyMs = isPinning() ? (servers[0]?.readyMs ?? NaN) : NaN;
  const one = isPinning() ? own : []; // what goes for one process
  const mercurius = against('mercurius').filter(({ query }) => query.calls > 0);
  const rates = isShared
    ? [
        least('Mercurius, q1', of('mercurius', 'q1'), 1.2),
        least('Mercurius, q2', of('mercurius', 'q2'), 1.8),
        least('Mercurius, q4', of('mercurius', 'q4'), 2.5),
        least(
          `Tailcall on ${isPinning() ? 'one core' : 'all cores'}, q2`,
          of('tailcall', 'q2'),
          1.5,
        ),
      ]
    : [
        least('Mercurius, queries that make calls', mercurius, 1),
        most(
          "p99 ÷ Mercurius'",
          Math.max(...mercurius.map(({ query, p99Ms }) => ownOf(query.name)!.p99Ms / p99Ms)),
          1.2,
        ),
      ];
  return [
    ...rates,
    most(
      `wall of the nested screen ÷ (rounds × ${LATENCY_MS} ms)`,
      screen ? screen.wall.wallMs / (screen.wall.rounds * LATENCY_MS) : NaN,
      1.1,
    ),
    most('ms added to one lookup', lookup ? Number(added(lookup, directMs)) : NaN, 1.5),
    most('MB resident', Math.max(...one.map(({ residentMb }) => residentMb)), 170),
    most('ms from start to first answer', readyMs, 1_000),
  ].filter((line) => line !== undefined);

  function ownOf(name: string): Row | undefined {
    return own.find(({ query }) => query.name === name);
  }
}

const ours = (rows: readonly Row[]): Row[] =>
  rows.filter(({ server }) => server.contestant.kind === 'ours');

const added = ({ wall }: Row, directMs: number): string => (wall.wallMs - directMs).toFixed(2);

function least(what: string, rows: readonly Row[], goal: number): string | undefined {
  const worst = rows.toSorted((a, b) => a.rateRatio - b.rateRatio)[0];
  if (!worst) return undefined;
  const { rateRatio: ratio, query } = worst;
  return `${verdict(ratio >= goal)} requests/s ÷ those of ${what}: at least ${times(goal)}, worst is ${times(ratio)} (${query.name})`;
}

const most = (what: string, found: number, goal: number): string | undefined =>
  Number.isFinite(found)
    ? `${verdict(found <= goal)} ${what}: at most ${goal}, worst is ${figure(found)}`
    : undefined;

const verdict = (reached: boolean): string => (reached ? 'reached' : 'MISSED ');
const times = (ratio: number): string => (Number.isFinite(ratio) ? `${ratio.toFixed(2)}×` : '–');

const figure = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) : '–';
