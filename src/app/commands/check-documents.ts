/**
 * Checks the documents that apps were shipped with: `npm run documents:check -- folder [--accept]`.
 *
 * Prints the price of each, and what is dearer than in the version of the app before. Fails when the schema no longer
 * serves a document of a manifest in the folder, or serves it at a higher price than the one kept beside the manifest,
 * and names the app's version, the document and the field. The backend is not called.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Kind,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLError,
} from 'graphql';
import { planningContext } from '../../plan/cost.ts';
import { priceOf, type Price, type Priced } from '../../plan/price.ts';
import { schema } from '../schema.ts';
import { readManifests, type Manifest } from '../../gateway/documents/manifest-folder.ts';
import { PRICES_SUFFIX } from '../../gateway/documents/manifest.ts';
import { inWords, nameOf, shown } from './prices.ts';
import { printLines } from './terminal.ts';

type Prices = Record<string, Price & { readonly document: string }>;

const given = process.argv.slice(2);
const accepts = given.includes('--accept');
const folder = given.find((argument) => !argument.startsWith('-'));

const HELP = `
npm run documents:check -- folder [--accept]

Prints the cost of the documents of every manifest in the folder, and increases since the previous app version. The
folder contains one manifest per app version, such as ios-4.2.json. Fails if the schema no longer serves a document, or
if its cost exceeds the one stored in ios-4.2.prices.json.

  --accept   stores the current costs
`;

await printLines(HELP, () => {
  if (folder === undefined) {
    throw new Error(
      'No folder given. Pass a folder of manifests: npm run documents:check -- folder',
    );
  }
  const order = new Intl.Collator('en', { numeric: true });
  const versions = [...readManifests(folder)].sort((a, b) => order.compare(a.name, b.name));
  /** The previous version of each app. */
  const before = new Map<string, Version>();
  const problems: string[] = [];
  for (const manifest of versions) {
    const checked = checkVersion(folder, manifest);
    problems.push(...checked.problems);
    const lines = checked.documents.flatMap((document) =>
      linesOf(checked, document, before.get(manifest.app)),
    );
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
    before.set(manifest.app, checked);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const count = versions.length === 1 ? '1 manifest' : `${versions.length} manifests`;
  return [`${count}: all documents are served.`];
});

/** A version of an app whose documents were priced. */
interface Version {
  readonly version: string;
  readonly documents: readonly PricedDocument[];
  readonly problems: readonly string[];
}

interface PricedDocument {
  /** Name of the operation. */
  readonly name: string;
  readonly id: string;
  readonly priced: Priced;
}

/** Lines about the price of a document, and increases since the previous version. */
function linesOf(
  { version }: Version,
  { name, id, priced }: PricedDocument,
  before: Version | undefined,
): string[] {
  const label = `${version}: ${name} (${id.slice(0, 12)})`;
  const same = before?.documents.find((document) => document.name === name);
  const rises = same ? risesOf(same.priced.price, priced) : [];
  return [
    `${label}: ${inWords(priced.price)}`,
    ...rises.map(
      ({ field, what }) => `${label}: more expensive than in ${before!.version}: ${field}: ${what}`,
    ),
  ];
}

function checkVersion(folder: string, { name: version, texts }: Manifest): Version {
  const pricesFile = join(folder, version + PRICES_SUFFIX);
  const kept = existsSync(pricesFile)
    ? (JSON.parse(readFileSync(pricesFile, 'utf8')) as Prices)
    : {};
  const prices: Prices = {};
  const documents: PricedDocument[] = [];
  const problems: string[] = [];
  for (const [id, text] of texts) {
    const problem = (document: string, field: string, what: string) =>
      problems.push(`${version}: ${document} (${id.slice(0, 12)}): ${field}: ${what}`);
    const document = parsed(text);
    if (!document) {
      problem('document', 'syntax', 'It cannot be parsed.');
      continue;
    }
    const errors = validate(schema, document);
    for (const error of errors) problem(nameOf(document), fieldOf(document, error), error.message);
    if (errors.length > 0) continue;
    for (const operation of document.definitions) {
      if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
      const name = operation.name?.value ?? 'anonymous';
      const priced = priceOf(schema, document, operation, planningContext('extended'));
      if (!priced) {
        problem(name, 'variables', 'It cannot be planned for any value.');
        continue;
      }
      documents.push({ name, id, priced });
      const key = `${name} ${id}`;
      prices[key] = { document: name, ...priced.price };
      if (accepts) continue;
      const before = kept[key];
      if (!before) {
        problem(name, 'cost', 'None is stored. Review it, then store it with --accept.');
        continue;
      }
      for (const { field, what } of risesOf(before, priced)) problem(name, field, what);
    }
  }
  if (accepts && problems.length === 0) {
    writeFileSync(pricesFile, `${JSON.stringify(prices, null, 2)}\n`);
  }
  return { version, documents, problems };
}

function parsed(text: string): DocumentNode | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the innermost field of an error: `Page.audiences`. */
function fieldOf(document: DocumentNode, { nodes }: GraphQLError): string {
  const place = nodes?.[0]?.loc?.start ?? -1;
  const typeInfo = new TypeInfo(schema);
  let field = 'operation';
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field({ loc, name }) {
        if (loc && loc.start <= place && place <= loc.end) {
          field = `${typeInfo.getParentType()?.name ?? '?'}.${name.value}`;
        }
      },
    }),
  );
  return field;
}

/** Returns the increased numbers of a price, with the fields that cause them. */
function risesOf(before: Price, { price, fields, largestList }: Priced) {
  const rises: { readonly field: string; readonly what: string }[] = [];
  const compare = (what: string, field: string, was: number | null, is: number | null): void => {
    if ((is ?? Infinity) <= (was ?? Infinity)) return;
    rises.push({ field, what: `${what} rose from ${shown(was)} to ${shown(is)}.` });
  };
  for (const [route, most] of Object.entries(price.routes)) {
    const paths = (fields[route] ?? []).join(', ');
    compare(`Calls of ${route}`, paths, before.routes[route] ?? 0, most);
  }
  const callers = [...new Set(Object.values(fields).flat())].join(', ');
  compare('Minimum calls', callers, before.calls.least, price.calls.least);
  compare('Maximum calls', callers, before.calls.most, price.calls.most);
  compare('Round trips', callers, before.rounds, price.rounds);
  const list = largestList ?? 'fields';
  compare('Minimum values', list, before.values.least, price.values.least);
  compare('Maximum values', list, before.values.most, price.values.most);
  return rises;
}
