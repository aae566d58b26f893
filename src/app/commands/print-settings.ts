/**
 * Prints every setting with its default and its meaning: `npm run settings`. With `--write` updates the table of
 * docs/settings.md; a test compares them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { listOf } from '../settings/list.ts';
import { GROUPS } from '../config.ts';
import { printLines } from './terminal.ts';

const PAGE = 'docs/settings.md';

/** Matches the table of settings. */
const TABLE = /^\| variable .*\n(?:\|.*\n)*/m;

const HELP = `
npm run settings -- [--write]

Prints every setting with its default and description.

  --write   updates the table in ${PAGE}
`;

await printLines(HELP, () => {
  const list = listOf(GROUPS);
  if (!process.argv.includes('--write')) return [list];
  writeFileSync(
    PAGE,
    readFileSync(PAGE, 'utf8').replace(TABLE, () => `${list}\n`),
  );
  return [`${PAGE} is up to date.`];
});
