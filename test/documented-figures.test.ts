/** Figures in README and docs/failures.md are those of docs/performance.md. */
import { expect, it } from 'vitest';
import { readPage, textOf } from './support/pages.ts';

const tableBelow = (file: string, heading: string) =>
  readPage(file)
    .rows.filter((row) => row.heading === heading)
    .map(({ cells }) => cells);

const [titles, ...results] = tableBelow('docs/performance.md', 'Results');

/** A cell of the table of results, by the start of its row and its column. */
const resultOf = (workload: string, column: string): string | undefined =>
  results.find(([name]) => name!.startsWith(workload))?.[titles!.indexOf(column)];

it.each([
  ['lookup', 'q1: '],
  ['screen', 'q2: '],
  ['list', 'q4: '],
  ['the same screen', 'q2, one API key'],
])('README shows the measured results in its row “%s”', (start, workload) => {
  const row = tableBelow('README.md', 'Performance').find(([name]) => name!.startsWith(start));

  expect(row!.slice(1)).toEqual([
    resultOf(workload, '÷ Mercurius, Node 20'),
    resultOf(workload, '÷ Grafast, Node 24'),
  ]);
});

it('docs/failures.md states how many attacks affect another API key', () => {
  const attacks = tableBelow('docs/performance.md', 'Under attack').slice(1);

  expect(textOf(readPage('docs/failures.md'))).toContain(
    `in ${attacks.length} of 15 [attacks](performance.md#under-attack)`,
  );
});
