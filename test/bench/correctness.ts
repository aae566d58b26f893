/**
 * All servers answer alike, or nothing is measured.
 *
 * Ours is the reference, and is itself held to the upstream's data: the calls of each query are
 * counted elsewhere, and an answer with an error or without data is no answer.
 */
import { ask, differenceOf } from './ask.ts';
import type { Server } from './contestants.ts';
import { requestsOf, type BenchQuery } from './queries.ts';

/** What is wrong, a line each; empty when every server answered every query alike. */
export async function findDifferences(
  servers: readonly Server[],
  queries: readonly BenchQuery[],
  callers: number,
): Promise<readonly string[]> {
  const [reference, ...others] = servers;
  const faults: string[] = [];
  for (const query of queries) {
    const requests = requestsOf(query, callers);
    // Who asks makes no difference to an answer without a page: a few of them are enough.
    for (const request of query.takesPage ? requests : requests.slice(0, 3)) {
      const expected = await ask(reference!.url, request);
      if (expected.errors !== undefined || hasNothing(expected.data)) {
        faults.push(faultOf(reference!, query, `answered ${JSON.stringify(expected)}`));
        break;
      }
      const found = await Promise.all(others.map(({ url }) => ask(url, request)));
      const differences = found.flatMap((answered, i) => {
        const difference = differenceOf(expected, answered);
        return difference ? [faultOf(others[i]!, query, difference)] : [];
      });
      faults.push(...differences);
      if (differences.length > 0) break;
    }
  }
  return faults;
}

const faultOf = ({ contestant }: Server, { name }: BenchQuery, what: string): string =>
  `${name}: ${contestant.name}: ${what.slice(0, 500)}`;

/** A root field that is null: nothing was found, and nothing would be measured. */
const hasNothing = (data: unknown): boolean =>
  typeof data !== 'object' || data === null || Object.values(data).includes(null);
