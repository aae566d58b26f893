/** Measurements in other pages are those of the tables of docs/performance.md, the worst rows included. */
import { expect, it } from 'vitest';
import { inWords } from './support/numbers.ts';
import { readPage, textOf } from './support/pages.ts';

const { rows } = readPage('docs/performance.md');
const readme = textOf(readPage('README.md'));
const failures = textOf(readPage('docs/failures.md'));

/** The cells of a column of the table below a heading, as they stand there. */
function columnOf(heading: string, column: string): readonly string[] {
  const [head, ...others] = rows.filter((row) => row.heading === heading);
  const index = head?.cells.indexOf(column) ?? -1;
  if (index === -1)
    throw new Error(`docs/performance.md has no column “${column}” below “${heading}”.`);
  return others.map(({ cells }) => cells[index]!);
}

/** From the worst to the best, `0.57 to 1.56`. */
function rangeOf(cells: readonly string[]): string {
  const measured = cells.filter((cell) => cell !== '–').map((cell) => cell.replace('×', ''));
  const [worst, ...better] = measured.sort((one, other) => Number(one) - Number(other));
  return `${worst} to ${better.at(-1)}`;
}

it.each([
  [
    'Where calls are shared and bytes repeat',
    '÷ Mercurius',
    'times as many requests a second as Mercurius',
  ],
  ['Where calls are shared and bytes repeat', '÷ Tailcall 1.6 (Rust)', 'times as many as Tailcall'],
  ['Where nothing is shared or repeated', '÷ Mercurius', 'times as many as Mercurius'],
  ['On Node 24', 'nothing shared: ÷ Mercurius', 'times as many'],
  ['Beside Grafast and Hive Gateway', '÷ Grafast', 'times as many as Grafast'],
  ['Beside Grafast and Hive Gateway', '÷ Hive Gateway', 'times as many as Hive Gateway'],
])('README has the worst and the best of “%s”, %s', (heading, column, what) => {
  expect(readme).toContain(`${rangeOf(columnOf(heading, column))} ${what}`);
});

it('README has no other figure beside other servers', () => {
  const figures = readme.match(/[\d.]+ to [\d.]+ times|[\d.]+ times/g)!;

  expect(figures).toHaveLength(6);
});

it.each([
  ['README.md', readme, 'seven of fifteen attacks'],
  ['docs/failures.md', failures, 'seven of [fifteen attacks]'],
])('%s has how many attacks another key feels, and how much', (_file, text, attacks) => {
  const slowest = columnOf('Under load', "victim's slowest hundredth, ms").map((cell) =>
    Number(cell.replace(',', '')),
  );
  const [least, most] = [Math.min(...slowest), Math.max(...slowest)].map((ms) =>
    (ms / 1_000).toFixed(1),
  );

  expect(text).toContain(attacks.replace('seven', inWords(slowest.length)));
  expect(text).toContain(`${least} to ${most} s`);
});
