/**
 * Prints what apps lose without a route or a field, or what an app's version needs:
 * `npm run impact -- "GET /v0/persons/{person_id}" folder`.
 *
 * The folder holds one manifest of documents for each version of an app; without one, the documents of this project
 * are meant. `document` among the arguments is for a backend that has the REST document's routes only. With
 * `--usage=http://127.0.0.1:4001`, or a file of its `/usage`, executions stand beside. The backend is not called.
 */
import { parseArgs } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { isInterfaceType, isObjectType } from 'graphql';
import {
  fieldsOfRoute,
  impactOfField,
  impactOfRoute,
  shippedIn,
  type Impact,
  type Shipped,
} from '../../extensions/impact/impact.ts';
import { lossesByRoute } from '../../extensions/impact/losses.ts';
import type { Context } from '../../graph/context.ts';
import { planningContext } from '../../plan/cost.ts';
import { schema } from '../schema.ts';
import { readManifests, type Manifest } from '../../gateway/documents/manifest-folder.ts';
import { sha256 } from '../../gateway/documents/manifest.ts';
import { OTHER_APP } from '../../gateway/operation/app-version.ts';
import { usedBy } from '../../plan/coordinates.ts';
import { readUsage } from '../../extensions/usage/read-usage.ts';
import type { UsageReport } from '../../extensions/usage/usage-report.ts';
import { routes, type Route } from '../../v0/routes.ts';
import { aligned, printLines } from './terminal.ts';

const OWN_DOCUMENTS = 'src/client/generated';

/** Extents of losses in words. */
const WORDS = {
  null: 'null, and an error',
  error: 'an error: nothing is written',
  screen: 'the whole screen',
} as const;

const HELP = `
npm run impact -- what [folder] [document] [--usage=url]

Prints what apps lose while a route ("GET /v0/persons/{person_id}") fails or a field (Page.name) has no value, or
what a version of an app (ios-4.2) loses without each route. The folder holds one manifest of documents for each
version of an app; without it the documents of this project are meant.

  document      plans for a backend with the REST document's routes only
  --usage=url   executions, of a gateway's ADMIN_PORT or of a file with its /usage
`;

await printLines(HELP, async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { usage: { type: 'string' } },
  });
  const [wanted = '', folder = OWN_DOCUMENTS] = positionals.filter((one) => one !== 'document');
  const usage = values.usage === undefined ? undefined : await readUsage(values.usage);
  const context = planningContext(positionals.includes('document') ? 'document' : 'extended');
  return report(wanted, folder, context, usage);
});

function report(
  wanted: string,
  folder: string,
  context: Context,
  usage: UsageReport | undefined,
): readonly string[] {
  const manifests = readManifests(folder);
  const asked = usage && executionsIn(usage, manifests);
  const shipped = shippedIn(schema, manifests);
  if (Object.values<Route>(routes).some(({ method, path }) => `${method} ${path}` === wanted)) {
    return [
      `While ${wanted} fails. Fields: ${fieldsOfRoute(schema, wanted, context).join(', ')}.`,
      ...tableOf(impactOfRoute(schema, shipped, wanted, context), asked),
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
      ...tableOf(impactOfField(schema, shipped, wanted), asked),
    ];
  }
  throw new Error(
    `${meantBy(wanted, manifests)}Name a route such as "GET /v0/persons/{person_id}", a field such as Page.name, or a version of an app: ${manifests.map((one) => one.name).join(', ')}.`,
  );

  function meantBy(name: string, versions: readonly Manifest[]): string {
    if (name === '') return '';
    const fields = Object.values(schema.getTypeMap())
      .filter((one) => isObjectType(one) || isInterfaceType(one))
      .flatMap((one) => Object.keys(one.getFields()).map((field) => `${one.name}.${field}`));
    const labels = Object.values<Route>(routes).map(({ method, path }) => `${method} ${path}`);
    const nearest = closest(name, [...labels, ...fields, ...versions.map((one) => one.name)]);
    return `Nothing is named ${JSON.stringify(name)}: was ${nearest} meant? `;
  }

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

/**
 * Returns the executions of an operation; after a plus those of callers without a version, if several versions have its
 * document.
 */
type Executions = (of: Shipped) => string;

function executionsIn({ documents }: UsageReport, manifests: readonly Manifest[]): Executions {
  const hashes = new Map(
    manifests.flatMap(({ app, version, texts }) =>
      [...texts].map(([id, text]) => [`${app} ${version} ${id}`, sha256(text)] as const),
    ),
  );
  return ({ app, version, id, name }) => {
    const hash = hashes.get(`${app} ${version} ${id}`);
    const found = documents.filter((one) => one.document === hash && one.operation === name);
    const own = found.find((one) => one.app === app && one.version === version)?.executions ?? 0;
    const others = found.filter(
      (one) => one.version === OTHER_APP.version && version !== one.version,
    );
    const unnamed = others.reduce((sum, { executions }) => sum + executions, 0);
    return unnamed > 0 ? `${own} + ${unnamed}` : String(own);
  };
}

function tableOf(impacts: readonly Impact[], asked: Executions | undefined): readonly string[] {
  if (impacts.length === 0) return ['No document needs it.'];
  const rows = impacts.flatMap((one) =>
    one.losses.map(({ path, as }) => [
      one.app,
      one.version,
      one.name,
      path,
      WORDS[as],
      ...(asked ? [asked(one)] : []),
    ]),
  );
  const head = ['app', 'version', 'document', 'loses', 'as', ...(asked ? ['executions'] : [])];
  return aligned([head, ...rows]);
}
