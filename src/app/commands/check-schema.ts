/**
 * Prints what the schema changes, as a changelog: `npm run schema:check -- [folder] [--base=main]`.
 *
 * `schema.graphql` is compared with that of a commit, `main` unless another is named; on `main` itself with the commit
 * before. The folder holds one manifest of documents for each version of an app; without one, the documents of this
 * project are meant. Fails where a version uses what breaks, and for a deprecation that names no day.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildSchema } from 'graphql';
import { readManifests } from '../../gateway/documents/manifest-folder.ts';
import { shippedIn, type Shipped } from '../../extensions/impact/impact.ts';
import { changesBetween, undatedDeprecations } from '../../extensions/impact/schema-changes.ts';
import { printLines } from './terminal.ts';

const FILE = 'schema.graphql';
const OWN_DOCUMENTS = 'src/client/generated';
const TITLES = { breaking: 'Breaking', dangerous: 'Dangerous', safe: 'Safe' } as const;

const HELP = `
npm run schema:check -- [folder] [--base=main]

Prints what the schema changes since a commit, and which versions of apps use what breaks. The folder holds
one manifest of documents for each version of an app; without it the documents of this project are meant.

  --base=commit   what ${FILE} is compared with; main where it is not given
`;

await printLines(HELP, async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { base: { type: 'string', default: 'main' } },
  });
  const [folder = OWN_DOCUMENTS] = positionals;
  const base = baseOf(values.base);
  const old = buildSchema(git('show', `${base}:${FILE}`));
  const now = buildSchema(readFileSync(FILE, 'utf8'));
  const changes = await changesBetween(old, now, shippedIn(old, readManifests(folder)));
  const lines = [
    `${FILE} since ${values.base === base ? base : `${base} (${values.base} is here)`}:`,
  ];
  for (const [level, title] of Object.entries(TITLES)) {
    const ofLevel = changes.filter((change) => change.level === level);
    if (ofLevel.length > 0) lines.push('', `${title}:`);
    for (const { message, users } of ofLevel) lines.push(`- ${message}`, ...usersOf(users));
  }
  if (changes.length === 0) lines.push('nothing has changed.');
  const undated = undatedDeprecations(now);
  for (const coordinate of undated) {
    lines.push(
      '',
      `${coordinate} is deprecated: its reason must name what to use and a day such as 2027-03-01.`,
    );
  }
  if (undated.length > 0 || changes.some(({ users }) => users.length > 0)) process.exitCode = 1;
  return lines;
});

/** Returns a line per version of an app with its operations. */
function usersOf(users: readonly Shipped[]): readonly string[] {
  const names = new Map<string, string[]>();
  for (const { app, version, name } of users) {
    const key = `${app} ${version}`;
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  return [...names].map(
    ([version, operations]) => `  used by ${version}: ${operations.join(', ')}`,
  );
}

/** Returns the commit to compare with: the previous one if the named one is checked out. */
function baseOf(name: string): string {
  const isHere = git('rev-parse', `${name}^{commit}`) === git('rev-parse', 'HEAD');
  return isHere ? `${name}^` : name;
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26 });
  } catch (cause) {
    throw new Error(
      `git ${args.join(' ')} fails: name a commit that is here and has a ${FILE}, as in --base=origin/main.`,
      { cause },
    );
  }
}
