/** Prints every setting, or updates the table of docs/settings.md, which a test compares: `npm run settings`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { listOf } from './settings-list.ts';
import { GROUPS } from '../config.ts';
import { runCommand } from './terminal.ts';

const PAGE = 'docs/settings.md';

const TABLE = /^\| variable .*\n(?:\|.*\n)*/m;

const HELP = `
npm run settings -- [--write]

Prints every setting with its default and description.

  --write   updates the table in ${PAGE}
`;

await runCommand(HELP, { write: { type: 'boolean' } }, ({ values }) => {
  const list = listOf(GROUPS);
  if (!values.write) return [list];
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(TABLE, () => `${list}\n`),
  );
  return [`${PAGE} is up to date.`];
});
