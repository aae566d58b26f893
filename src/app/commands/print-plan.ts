/**
 * Prints the cost of a document for the backend: `npm run plan -- query.graphql '{"id":"p1"}'`, or bounds on the cost
 * of each document of a manifest: `npm run plan -- --manifest ios-4.2.json`.
 *
 * Makes no calls. Fragments may be in further `.graphql` files; the argument `document` plans for a backend with the
 * document's routes only. Exits with 1 if there is no plan, for use in CI.
 */
import { readFileSync } from 'node:fs';
import { getOperationAST, Kind, parse, validate } from 'graphql';
import { readManifest } from '../../gateway/documents/manifest.ts';
import { planFor, planningContext } from '../../plan/cost.ts';
import type { Plan } from '../../plan/planner.ts';
import { priceOf } from '../../plan/price.ts';
import { schema } from '../schema.ts';
import { range } from './prices.ts';
import { aligned, printLines } from './terminal.ts';

const given = process.argv.slice(2);
const context = planningContext(given.includes('document') ? 'document' : 'extended');

const HELP = `
npm run plan -- query.graphql [fragments.graphql …] ['{"id":"p1"}'] [document]
npm run plan -- --manifest ios-4.2.json [document]

Prints the REST calls of a document by route. Variables are a JSON object. With --manifest, prints the bounds of each
document of a manifest for any variables. Calls nothing. Exits with 1 if a document cannot be planned.

  document   plans for a backend without the optional routes
`;

await printLines(HELP, () => {
  if (given[0] === '--manifest') return priceManifest(given[1]);
  const unknown = given.find(
    (argument) => !/\.graphql$|^\{/.test(argument) && argument !== 'document',
  );
  if (unknown !== undefined) {
    throw new Error(
      `Unknown argument "${unknown}". Pass .graphql files, variables as a JSON object, or "document".`,
    );
  }
  const files = given.filter((argument) => argument.endsWith('.graphql'));
  return table(planFiles(files, given.find((argument) => argument.startsWith('{')) ?? '{}'));
});

function priceManifest(file: string | undefined): readonly string[] {
  if (file === undefined)
    throw new Error('No manifest given. Pass one: npm run plan -- --manifest ios-4.2.json');
  const rows: string[][] = [];
  for (const [id, text] of readManifest(readFileSync(file, 'utf8'))) {
    const document = parse(text);
    const [error] = validate(schema, document);
    if (error) throw new Error(`${id.slice(0, 12)}: ${error.message}`);
    for (const operation of document.definitions) {
      if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
      const name = operation.name?.value ?? 'anonymous';
      const priced = priceOf(schema, document, operation, context);
      if (!priced) throw new Error(`${name} cannot be planned for any value of its variables.`);
      const { calls, rounds, values } = priced.price;
      rows.push([name, id.slice(0, 12), range(calls), String(rounds), range(values)]);
    }
  }
  return aligned([['document', 'id', 'calls', 'rounds', 'values'], ...rows]);
}

function planFiles(files: readonly string[], json: string): Plan {
  if (files.length === 0)
    throw new Error('No document given. Pass one: npm run plan -- query.graphql');
  const document = parse(files.map((file) => readFileSync(file, 'utf8')).join('\n'));
  // Files of shared fragments may contain unused ones.
  const errors = validate(schema, document).filter(
    ({ message }) => !message.endsWith('never used.'),
  );
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  if (!getOperationAST(document)) throw new Error('The files must contain exactly one operation.');
  const variableValues = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const plan = planFor({ schema, document, variableValues }, context);
  if (!plan)
    throw new Error(
      'The variables do not match the operation. Pass them as a JSON object after the files.',
    );
  return plan;
}

function table({
  calls,
  rounds,
  values,
  routes,
  missing = [],
  largestList,
}: Plan): readonly string[] {
  const rows = routes.map((route) => [
    `${route.method} ${route.route}`,
    String(route.least),
    shown(route.most),
    route.fields.join(', '),
  ]);
  return aligned([
    ['route', 'at least', 'at most', 'because of'],
    ...rows,
    ['all', String(calls.least), shown(calls.most), `${rounds} rounds`],
    ['values', String(values.atLeast), shown(values.atMost), largestList ?? ''],
    ...missing.map((route) => [route, 'missing', '', 'replaced by other routes, or unsupported']),
  ]);
}

/** `Infinity` is unknown, for lists of unknown length. */
function shown(most: number): string {
  return Number.isFinite(most) ? String(most) : 'unknown';
}
