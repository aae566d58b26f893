/**
 * Prints what apps lose without a route or a field, or what an app's version needs:
 * `npm run impact -- "GET /v0/persons/{person_id}" folder`.
 *
 * The folder holds one manifest of documents for each version of an app; without one, the documents of this project
 * are meant. `document` among the arguments is for a backend that has the REST document's routes only. Nothing is called.
 */
import { statSync } from 'node:fs';
import { isInterfaceType, isObjectType } from 'graphql';
import { usedBy } from './impact/coordinates.ts';
import {
  fieldsOfRoute,
  impactOfField,
  impactOfRoute,
  shippedIn,
  type Impact,
  type Shipped,
} from './impact/impact.ts';
import { lossesByRoute } from './impact/losses.ts';
import { planningContext } from './plan/cost.ts';
import { schema } from './schema.ts';
import { readManifests } from './documents/manifest-folder.ts';
import { routes, type Route } from './v0/routes.ts';

const OWN_DOCUMENTS = 'src/client/generated';

/** What stands for each extent of a loss. */
const WORDS = {
  null: 'null, and an error',
  error: 'an error: nothing is written',
  screen: 'the whole screen',
} as const;

const given = process.argv.slice(2);
const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

try {
  const folder = given.find((one) => isFolder(one) && one !== 'document') ?? OWN_DOCUMENTS;
  const [wanted] = given.filter((one) => one !== folder && one !== 'document');
  const lines = report(wanted ?? '', folder);
  process.stdout.write(`${lines.join('\n')}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function report(wanted: string, folder: string): readonly string[] {
  const manifests = readManifests(folder);
  const shipped = shippedIn(schema, manifests);
  const context = planningContext(given.includes('document') ? 'document' : 'extended');
  if (Object.values<Route>(routes).some(({ method, path }) => `${method} ${path}` === wanted)) {
    return [
      `While ${wanted} fails. Fields: ${fieldsOfRoute(schema, wanted, context).join(', ')}.`,
      ...tableOf(impactOfRoute(schema, shipped, wanted, context)),
    ];
  }
  const versions = manifests.filter(({ app, name }) => name === wanted || app === wanted);
  if (versions.length > 0) {
    return versions.flatMap(({ app, version }) =>
      needsOf(shipped.filter((one) => one.app === app && one.version === version)),
    );
  }
  const [typename = '', name = ''] = wanted.split('.');
  const type = schema.getType(typename);
  if ((isObjectType(type) || isInterfaceType(type)) && Object.hasOwn(type.getFields(), name)) {
    return [
      `While the backend has no value for ${wanted}. Were it taken out of the schema, each of these documents would be refused whole.`,
      ...tableOf(impactOfField(schema, shipped, wanted)),
    ];
  }
  throw new Error(
    `Name a route such as "GET /v0/persons/{person_id}", a field such as Page.name, or a version of an app: ${manifests.map((one) => one.name).join(', ')}.`,
  );

  function needsOf(operations: readonly Shipped[]): readonly string[] {
    const rows = operations.flatMap((one) =>
      [...lossesByRoute({ schema, ...one }, context)].flatMap(([route, losses]) =>
        losses.map(({ path, as }) => [one.name, route, path, WORDS[as]]),
      ),
    );
    const used = operations.flatMap((one) => [...usedBy(schema, one.document, one.operation)]);
    return [
      `What ${wanted} loses without each route.`,
      ...aligned([['document', 'route', 'loses', 'as'], ...rows]),
      `Fields, arguments and values: ${[...new Set(used)].sort().join(', ')}.`,
    ];
  }
}

function tableOf(impacts: readonly Impact[]): readonly string[] {
  if (impacts.length === 0) return ['No document needs it.'];
  const rows = impacts.flatMap(({ app, version, name, losses }) =>
    losses.map(({ path, as }) => [app, version, name, path, WORDS[as]]),
  );
  return aligned([['app', 'version', 'document', 'loses', 'as'], ...rows]);
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
}
