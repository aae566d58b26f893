/** The findings as one Markdown table, and the lines beneath it. */
import { availableParallelism, cpus } from 'node:os';
import { isPinning } from './machine.ts';
import { LATENCY_MS, type Measured, type Wall } from './measure.ts';

export interface Row extends Measured {
  readonly wall: Wall;
}

const COLUMNS: readonly (readonly [string, (row: Row) => string])[] = [
  ['', ({ query }) => query.name],
  ['server', ({ server }) => server.contestant.name],
  ['requests/s', ({ requestsPerSecond }) => figure(requestsPerSecond)],
  ['p50 ms', ({ p50Ms }) => figure(p50Ms)],
  ['p90 ms', ({ p90Ms }) => figure(p90Ms)],
  ['p99 ms', ({ p99Ms }) => figure(p99Ms)],
  ['p99.9 ms', ({ p999Ms }) => figure(p999Ms)],
  ['CPU µs', ({ cpuMicros }) => figure(cpuMicros)],
  ['calls', ({ wall, calls }) => `${wall.calls} (${calls.toFixed(1)})`],
  ['rounds', ({ wall }) => String(wall.rounds)],
  [`wall at ${LATENCY_MS} ms`, ({ wall }) => `${wall.wallMs.toFixed(1)} ms`],
  ['RSS MB', ({ residentMb }) => figure(residentMb)],
  ['ours ÷ theirs, requests/s', ({ rateRatio }) => times(rateRatio)],
  ['ours ÷ theirs, CPU', ({ cpuRatio }) => times(cpuRatio)],
];

/** A table, and beneath it what it does not say. */
export function reportOf(rows: readonly Row[], directMs: number): string[] {
  const titles = COLUMNS.map(([title]) => title);
  const cells = rows.map((row) => COLUMNS.map(([, cell]) => cell(row)));
  const queries = [...new Set(rows.map(({ query }) => query))];
  const servers = [...new Set(rows.map(({ server }) => server))];
  const ready = servers.map(
    ({ contestant, readyMs }) => `${contestant.name} ${Math.round(readyMs)} ms`,
  );
  const lookup = rows.find(({ query }) => query.calls === 1); // ours is the first
  const addedMs = lookup && lookup.wall.wallMs - directMs;
  return [
    markdownTable(titles, cells, 2),
    '',
    ...queries.map(({ name, what }) => `${name}: ${what}.`),
    '',
    machineLine(),
    'calls: of one request alone, and in brackets a request under load (fewer where calls were shared).',
    `Start to first response: ${ready.join(', ')}.`,
    ...(addedMs ? [`Added to one lookup of ${LATENCY_MS} ms: ${addedMs.toFixed(2)} ms.`] : []),
  ];
}

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

const times = (ratio: number): string => (Number.isFinite(ratio) ? `${ratio.toFixed(2)}×` : '–');
const figure = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) : '–';
