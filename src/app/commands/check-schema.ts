/** Prints the changes of the schema since a commit, by GraphQL Inspector: `npm run schema:check`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { CriticalityLevel, diff, DiffRule } from '@graphql-inspector/core';
import { buildSchema, parse, validate, type GraphQLError, type GraphQLSchema } from 'graphql';
import { readManifests } from '../../gateway/documents/manifest.ts';
import { nameOf, runCommand, shortId } from './terminal.ts';

const FILE = 'schema.graphql';
const OWN_DOCUMENTS = 'src/client/generated';
const TITLES = {
  [CriticalityLevel.Breaking]: 'Breaking',
  [CriticalityLevel.Dangerous]: 'Dangerous',
  [CriticalityLevel.NonBreaking]: 'Safe',
} as const;

const HELP = `
npm run schema:check -- [folder] [--base=main]

Prints the changes of the schema since a commit, and fails if it no longer serves a document. The folder contains one
manifest of documents per app version. The default is the documents of this project.

  --base=commit   commit to compare ${FILE} with (default: main)
`;

await runCommand(HELP, { base: { type: 'string' } }, async ({ positionals, values }) => {
  const [folder = OWN_DOCUMENTS] = positionals;
  const { base: given = 'main' } = values;
  // If the commit itself is checked out, its predecessor.
  const isCheckedOut = git('rev-parse', `${given}^{commit}`) === git('rev-parse', 'HEAD');
  const base = isCheckedOut ? `${given}^` : given;
  const old = buildSchema(git('show', `${base}:${FILE}`));
  const now = buildSchema(readFileSync(FILE, 'utf8'));
  const changes = await diff(old, now, [DiffRule.ignoreDescriptionChanges]);
  const broken = documentsBroken(old, now, folder);
  if (broken.length > 0) process.exitCode = 1;
  return [
    `${FILE} since ${base}${isCheckedOut ? ` (${given} is checked out)` : ''}:`,
    ...Object.entries(TITLES).flatMap(([level, title]) => {
      const ofLevel = changes.filter(({ criticality }) => (criticality.level as string) === level);
      return section(
        title,
        ofLevel.map(({ message }) => message),
      );
    }),
    ...(changes.length === 0 ? ['No changes.'] : []),
    ...section('No longer served', broken),
  ];
});

/** Returns the documents that are valid against the old schema alone, each with its errors. */
function documentsBroken(old: GraphQLSchema, now: GraphQLSchema, folder: string): string[] {
  return readManifests(folder).flatMap(({ name, texts }) =>
    [...texts].flatMap(([id, text]) => {
      const errors = errorsOf(now, text);
      if (errors.length === 0 || errorsOf(old, text).length > 0) return [];
      const messages = errors.map(({ message }) => message).join(' ');
      return [`${name}: ${nameOf(parse(text))} (${shortId(id)}): ${messages}`];
    }),
  );
}

function errorsOf(schema: GraphQLSchema, text: string): readonly GraphQLError[] {
  try {
    return validate(schema, parse(text));
  } catch (error) {
    return [error as GraphQLError]; // of the parser
  }
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `- ${line}`)];
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26 });
  } catch (cause) {
    throw new Error(
      `git ${args.join(' ')} failed. Pass a local commit that contains ${FILE}, such as --base=origin/main.`,
      { cause },
    );
  }
}
