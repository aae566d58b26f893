/**
 * Prints what a document will cost the backend: `npm run plan -- query.graphql '{"id":"p1"}'`.
 *
 * Nothing is called. Fragments may stand in further `.graphql` files; `document` among the arguments
 * plans for a backend that has the document's routes only. Ends with 1 when there is no plan, so
 * that CI can ask for it.
 */
import { readFileSync } from 'node:fs';
import { getOperationAST, parse, validate } from 'graphql';
import { planFor, planningContext } from '../plan/cost.ts';
import type { Plan } from '../plan/planner.ts';
import { schema } from '../schema.ts';
import { aligned, printLines } from './terminal.ts';

const given = process.argv.slice(2);

await printLines(() => {
  const unknown = given.find(
    (argument) => !/\.graphql$|^\{/.test(argument) && argument !== 'document',
  );
  if (unknown !== undefined) {
    throw new Error(
      `"${unknown}" is no .graphql file, no variables as a JSON object, and not the word document.`,
    );
  }
  const files = given.filter((argument) => argument.endsWith('.graphql'));
  return table(planFiles(files, given.find((argument) => argument.startsWith('{')) ?? '{}'));
});

function planFiles(files: readonly string[], json: string): Plan {
  if (files.length === 0) throw new Error('Name a document: npm run plan -- query.graphql');
  const document = parse(files.map((file) => readFileSync(file, 'utf8')).join('\n'));
  // A file of shared fragments is welcome to hold more than this document needs.
  const errors = validate(schema, document).filter(
    ({ message }) => !message.endsWith('never used.'),
  );
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  if (!getOperationAST(document)) throw new Error('The files must hold exactly one operation.');
  const variableValues = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const context = planningContext(given.includes('document') ? 'document' : 'extended');
  const plan = planFor({ schema, document, variableValues }, context);
  if (!plan) throw new Error('The variables do not fit: pass them as JSON after the files.');
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
    ...missing.map((route) => [route, 'missing', '', 'answered from other routes, or not at all']),
  ]);
}

/** The length of some lists is unknown. */
function shown(most: number): string {
  return Number.isFinite(most) ? String(most) : 'unknown';
}
