/** The reports of several workers merged into one. */
import type { driftReport } from './drift-report.ts';

export type DriftReport = ReturnType<typeof driftReport>;

/** @param reports at least one. */
export function sumDrift(reports: readonly DriftReport[]): DriftReport {
  const inOrder = reports.map(({ since }) => since).sort();
  return {
    since: inOrder[0]!,
    answers: merged(
      reports.flatMap((one) => one.answers),
      ['route'],
      (one, other) => ({
        ...one,
        answers: one.answers + other.answers,
        looked: one.looked + other.looked,
      }),
    ),
    departures: merged(
      reports.flatMap((one) => one.departures),
      ['route', 'field', 'kind'],
      (one, other) => ({
        ...one,
        count: one.count + other.count,
        firstAt: one.firstAt < other.firstAt ? one.firstAt : other.firstAt,
        lastAt: one.lastAt > other.lastAt ? one.lastAt : other.lastAt,
      }),
    ),
    unseen: merged(
      reports.flatMap((one) => one.unseen).filter(isUnseenByAll),
      ['route', 'field'],
      (one, other) => (one.since > other.since ? one : other),
    ),
  };

  /** Workers that have sampled no answer of the route are ignored. */
  function isUnseenByAll({ route, field }: DriftReport['unseen'][number]): boolean {
    return reports
      .filter(({ answers }) => answers.some((one) => one.route === route))
      .every(({ unseen }) => unseen.some((one) => one.route === route && one.field === field));
  }
}

/** Merges rows with equal key columns. */
function merged<Row>(
  rows: readonly Row[],
  key: readonly (keyof Row)[],
  merge: (one: Row, other: Row) => Row,
): Row[] {
  const found = new Map<string, Row>();
  for (const row of rows) {
    const name = key.map((column) => row[column]).join('\n');
    const known = found.get(name);
    found.set(name, known === undefined ? row : merge(known, row));
  }
  return [...found.values()];
}
