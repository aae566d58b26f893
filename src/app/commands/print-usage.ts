/**
 * Prints usage counts of fields, arguments and enum values: `npm run usage -- http://127.0.0.1:4001`.
 *
 * A coordinate argument, such as `Page` or `Page.name`, limits the output to it and its members.
 */
import { resolveSchemaCoordinate } from 'graphql';
import { schema } from '../schema.ts';
import { readUsage } from '../../extensions/usage/read-usage.ts';
import type { UsageReport } from '../../extensions/usage/usage-report.ts';
import { aligned, printLines } from './terminal.ts';

const [from, coordinate] = process.argv.slice(2);

const HELP = `
npm run usage -- http://127.0.0.1:4001 [coordinate]

Prints which fields, arguments and enum values apps have asked a gateway for, by its ADMIN_PORT. A coordinate,
such as Page or Page.name, narrows it to that one and what belongs to it.
`;

await printLines(HELP, async () => {
  if (from === undefined) {
    throw new Error(
      'Name a gateway by its ADMIN_PORT: npm run usage -- http://127.0.0.1:4001 [Page.name]',
    );
  }
  return tableOf(await readUsage(from), coordinate);
});

function tableOf({ since, documents }: UsageReport, wanted: string | undefined): readonly string[] {
  const isWanted = (one: string): boolean =>
    wanted === undefined ||
    (one.startsWith(wanted) && ['', '.', '('].includes(one.charAt(wanted.length)));
  const rows = documents
    .flatMap(({ app, version, operation, uses }) =>
      Object.entries(uses)
        .filter(([one]) => isWanted(one))
        .map(([one, count]) => [one, app, version, operation, String(count)]),
    )
    .sort((one, other) => (one.join(' ') < other.join(' ') ? -1 : 1));
  if (rows.length === 0) {
    if (wanted !== undefined && !isInSchema(wanted)) {
      throw new Error(
        `The schema has no ${wanted}: name a type, or one of its fields as Page.name.`,
      );
    }
    return [`Nobody has asked for ${wanted ?? 'anything'} since ${since}.`];
  }
  return [
    `Executions since ${since}.`,
    ...aligned([['asked for', 'app', 'version', 'operation', 'executions'], ...rows]),
  ];
}

function isInSchema(coordinate: string): boolean {
  try {
    return resolveSchemaCoordinate(schema, coordinate) !== undefined;
  } catch {
    // Not a coordinate, or one of an unknown type.
    return false;
  }
}
