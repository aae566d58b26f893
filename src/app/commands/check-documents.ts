/** Checks the documents of apps against the schema and their stored costs: `npm run documents:check`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRICES_SUFFIX, readManifests, type Manifest } from '../../gateway/documents/manifest.ts';
import type { Price, Priced } from '../../plan/price.ts';
import {
  numberOf,
  priceDocuments,
  summaryOf,
  type DocumentProblem,
  type PricedOperation,
} from './priced-documents.ts';
import { runCommand, shortId } from './terminal.ts';

const HELP = `
npm run documents:check -- folder [--accept]

Prints the cost of the documents of every manifest in the folder, and increases since the previous app version. The
folder contains one manifest per app version, such as ios-4.2.json. Fails if the schema no longer serves a document, or
if its cost exceeds the one stored in ios-4.2.prices.json.

  --accept   stores the current costs
`;

await runCommand(HELP, { accept: { type: 'boolean' } }, ({ positionals: [folder], values }) => {
  if (folder === undefined) {
    throw new Error(
      'No folder given. Pass a folder of manifests: npm run documents:check -- folder',
    );
  }
  const manifests = readManifests(folder);
  const previous = new Map<string, AppVersionCosts>();
  const problems: string[] = [];
  for (const manifest of manifests) {
    const checked = checkManifest(folder, manifest, values.accept === true);
    problems.push(...checked.problems);
    const lines = checked.operations.flatMap((operation) =>
      linesOf(manifest.name, operation, previous.get(manifest.app)),
    );
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
    previous.set(manifest.app, { version: manifest.name, operations: checked.operations });
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const count = manifests.length === 1 ? '1 manifest' : `${manifests.length} manifests`;
  return [`${count}: all documents are served.`];
});

interface AppVersionCosts {
  readonly version: string;
  readonly operations: readonly PricedOperation[];
}

/** Lines about the cost of a document, and increases since the previous version. */
function linesOf(
  version: string,
  { name, id, priced }: PricedOperation,
  previous: AppVersionCosts | undefined,
): string[] {
  const label = `${version}: ${name} (${shortId(id)})`;
  const before = previous?.operations.find((operation) => operation.name === name);
  const increases = before ? increasesOf(before.priced.price, priced) : [];
  return [
    `${label}: ${summaryOf(priced.price)}`,
    ...increases.map(
      ({ field, message }) =>
        `${label}: more expensive than in ${previous!.version}: ${field}: ${message}`,
    ),
  ];
}

type StoredPrices = Record<string, Price & { readonly document: string }>;

/** Compares the documents of a manifest with their stored costs, or stores these. */
function checkManifest(folder: string, { name: version, texts }: Manifest, accepts: boolean) {
  const pricesFile = join(folder, version + PRICES_SUFFIX);
  const stored = existsSync(pricesFile)
    ? (JSON.parse(readFileSync(pricesFile, 'utf8')) as StoredPrices)
    : {};
  const { operations, problems } = priceDocuments(texts, 'extended');
  const prices: StoredPrices = {};
  for (const { name, id, priced } of operations) {
    const key = `${name} ${id}`;
    prices[key] = { document: name, ...priced.price };
    if (accepts) continue;
    const before = stored[key];
    const found = before
      ? increasesOf(before, priced)
      : [{ field: 'cost', message: 'None is stored. Review it, then store it with --accept.' }];
    problems.push(...found.map((one) => ({ name, id, ...one })));
  }
  if (accepts && problems.length === 0) {
    writeFileSync(pricesFile, `${JSON.stringify(prices, null, 2)}\n`);
  }
  const lines = problems.map(
    ({ name, id, field, message }) => `${version}: ${name} (${shortId(id)}): ${field}: ${message}`,
  );
  return { operations, problems: lines };
}

/** Returns the increased numbers of a cost, with the fields that cause them. */
function increasesOf(before: Price, { price, fields, largestList }: Priced) {
  const increases: Pick<DocumentProblem, 'field' | 'message'>[] = [];
  const compare = (what: string, field: string, was: number | null, is: number | null): void => {
    if ((is ?? Infinity) <= (was ?? Infinity)) return;
    increases.push({ field, message: `${what} rose from ${numberOf(was)} to ${numberOf(is)}.` });
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
  return increases;
}
