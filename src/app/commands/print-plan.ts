/**
 * Prints the cost of a document, or the bounds of each document of a manifest, without calls: `npm run plan`. Exits with
 * 1 if there is no plan, for CI.
 */
import { readFileSync } from 'node:fs';
import { getOperationAST, parse, validate } from 'graphql';
import { readManifest } from '../../gateway/documents/manifest.ts';
import { planFor, planningContext } from '../../plan/cost.ts';
import type { Plan } from '../../plan/account.ts';
import type { RouteSet } from '../../v0/routes.ts';
import { schema } from '../schema.ts';
import { numberOf, priceDocuments, rangeOf } from './priced-documents.ts';
import { runCommand, shortId, tableOf } from './terminal.ts';

const HELP = `
npm run plan -- query.graphql [fragments.graphql …] ['{"id":"p1"}'] [document]
npm run plan -- --manifest ios-4.2.json [document]

Prints the REST calls of a document by route. Variables are a JSON object. With --manifest, prints the bounds of each
document of a manifest for any variables. Calls nothing. Exits with 1 if a document cannot be planned.

  document   plans for a backend without the optional routes
`;

await runCommand(
  HELP,
  { manifest: { type: 'string' } },
  ({ positionals, values: { manifest } }) => {
    const routeSet = positionals.includes('document') ? 'document' : 'extended';
    if (manifest !== undefined) return priceManifest(manifest, routeSet);
    const unknown = positionals.find((one) => !/\.graphql$|^\{|^document$/.test(one));
    if (unknown !== undefined) {
      throw new Error(
        `Unknown argument "${unknown}". Pass .graphql files, variables as a JSON object, or "document".`,
      );
    }
    const files = positionals.filter((one) => one.endsWith('.graphql'));
    const json = positionals.find((one) => one.startsWith('{')) ?? '{}';
    return planTable(planFiles(files, json, routeSet));
  },
);

function priceManifest(file: string, routeSet: RouteSet): readonly string[] {
  const { operations, problems } = priceDocuments(
    readManifest(readFileSync(file, 'utf8')),
    routeSet,
  );
  const [problem] = problems;
  if (problem) throw new Error(`${problem.name} (${shortId(problem.id)}): ${problem.message}`);
  const rows = operations.map(({ name, id, priced: { price } }) => [
    ...[name, shortId(id), rangeOf(price.calls), String(price.rounds), rangeOf(price.values)],
  ]);
  return tableOf([['document', 'id', 'calls', 'rounds', 'values'], ...rows]);
}

function planFiles(files: readonly string[], json: string, routeSet: RouteSet): Plan {
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
  const plan = planFor({ schema, document, variableValues }, planningContext(routeSet));
  if (!plan)
    throw new Error(
      'The variables do not match the operation. Pass them as a JSON object after the files.',
    );
  return plan;
}

function planTable({ calls, rounds, values, routes, missing = [], largestList }: Plan) {
  return tableOf([
    ['route', 'at least', 'at most', 'because of'],
    ...routes.map(({ method, route, least, most, fields }) => [
      ...[`${method} ${route}`, String(least), numberOf(most), fields.join(', ')],
    ]),
    ['all', String(calls.least), numberOf(calls.most), `${rounds} rounds`],
    ['values', String(values.atLeast), numberOf(values.atMost), largestList ?? ''],
    ...missing.map((route) => [route, 'missing', '', 'replaced by other routes, or unsupported']),
  ]);
}
