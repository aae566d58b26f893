/** Sums the usage counts of several workers. */
import type { DocumentUsage, UsageReport } from './usage-report.ts';

/** @param reports at least one. */
export function sumUsage(reports: readonly UsageReport[]): UsageReport {
  const sums = new Map<string, DocumentUsage>();
  for (const one of reports.flatMap(({ documents }) => documents)) {
    const key = [one.app, one.version, one.document, one.operation].join('\n');
    const sum = sums.get(key);
    sums.set(key, sum ? sumOf(sum, one) : one);
  }
  const since = reports.map((report) => report.since).sort()[0]!;
  return { since, documents: [...sums.values()] };
}

function sumOf(one: DocumentUsage, other: DocumentUsage): DocumentUsage {
  const uses = new Map(Object.entries(one.uses));
  for (const [name, count] of Object.entries(other.uses)) {
    uses.set(name, (uses.get(name) ?? 0) + count);
  }
  const executions = one.executions + other.executions;
  return { ...one, executions, uses: Object.fromEntries(uses) };
}
