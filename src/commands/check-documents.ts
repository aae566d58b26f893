/**
 * Checks the documents that apps were shipped with: `npm run documents:check -- folder [--accept]`.
 *
 * Fails when the schema no longer serves a document of a manifest in the folder, or serves it at a
 * higher price than the one kept beside the manifest, and names the app's version, the document and
 * the field. `--accept` writes today's prices. The backend is not called.
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
import { planningContext } from '../plan/cost.ts';
import { priceOf, type Price, type Priced } from '../plan/price.ts';
import { schema } from '../schema.ts';
import { readManifests, type Manifest } from '../gateway/documents/manifest-folder.ts';
import { PRICES_SUFFIX } from '../gateway/documents/manifest.ts';
import { printLines } from './terminal.ts';

type Prices = Record<string, Price & { readonly document: string }>;

const given = process.argv.slice(2);
const accepts = given.includes('--accept');
const folder = given.find((argument) => !argument.startsWith('-'));

await printLines(() => {
  if (folder === undefined) {
    throw new Error('Name a folder of manifests: npm run documents:check -- folder');
  }
  const versions = readManifests(folder);
  const problems = versions.flatMap((manifest) => checkVersion(folder, manifest));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const count = versions.length === 1 ? '1 manifest' : `${versions.length} manifests`;
  return [`${count}: every document is served.`];
});

function checkVersion(folder: string, { name: version, texts }: Manifest): string[] {
  const pricesFile = join(folder, version + PRICES_SUFFIX);
  const kept = existsSync(pricesFile)
    ? (JSON.parse(readFileSync(pricesFile, 'utf8')) as Prices)
    : {};
  const prices: Prices = {};
  const problems: string[] = [];
  for (const [id, text] of texts) {
    const problem = (document: string, field: string, what: string) =>
      problems.push(`${version}: ${document} (${id.slice(0, 12)}): ${field}: ${what}`);
    const document = parsed(text);
    if (!document) {
      problem('document', 'its text', 'It does not parse.');
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
        problem(name, 'its variables', 'No value of theirs can be planned.');
        continue;
      }
      const key = `${name} ${id}`;
      prices[key] = { document: name, ...priced.price };
      if (accepts) continue;
      const before = kept[key];
      if (!before) {
        problem(name, 'its price', 'None is kept: look at it, and keep it with --accept.');
        continue;
      }
      for (const { field, what } of risesOf(before, priced)) problem(name, field, what);
    }
  }
  if (accepts && problems.length === 0) {
    writeFileSync(pricesFile, `${JSON.stringify(prices, null, 2)}\n`);
  }
  return problems;
}

function parsed(text: string): DocumentNode | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function nameOf({ definitions }: DocumentNode): string {
  for (const one of definitions) {
    if (one.kind === Kind.OPERATION_DEFINITION && one.name) return one.name.value;
  }
  return 'anonymous';
}

/** The innermost field that an error stands in, by its type: `Page.audiences`. */
function fieldOf(document: DocumentNode, { nodes }: GraphQLError): string {
  const place = nodes?.[0]?.loc?.start ?? -1;
  const typeInfo = new TypeInfo(schema);
  let field = 'its operation';
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

/** Which numbers of a price rose, and by which fields. */
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
  compare('The least calls', callers, before.calls.least, price.calls.least);
  compare('The most calls', callers, before.calls.most, price.calls.most);
  compare('Rounds', callers, before.rounds, price.rounds);
  const list = largestList ?? 'its fields';
  compare('The least values', list, before.values.least, price.values.least);
  compare('The most values', list, before.values.most, price.values.most);
  return rises;
}

function shown(count: number | null): string {
  return count === null ? 'unknown' : String(count);
}
