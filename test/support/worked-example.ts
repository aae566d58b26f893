/** Applies a page of the documentation that changes code: `diff file src/b.ts` behind a fence is a change of that file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from './pages.ts';

/** Changes the files below `root` as the page says. */
export function applyPage({ blocks, prose }: Page, root: string): void {
  for (const { info, place, text } of blocks) {
    const [, file] = /^file (\S+)$/.exec(info) ?? [];
    if (file === undefined) continue;
    // Prettier escapes underscores.
    if (!prose.replaceAll('\\_', '_').includes(`**${file}**`))
      throw new Error(`${place} does not show that it is ${file}.`);
    const path = join(root, file);
    writeFileSync(path, applyDiff(readFileSync(path, 'utf8'), text, place));
  }
}

/** Hunks are separated by `@@`, and each is located by its lines. */
function applyDiff(before: string, diff: string, place: string): string {
  return diff.split(/^@@.*\n/m).reduce((source, hunk) => {
    const lines = hunk.split('\n').filter((line) => line !== '');
    const side = (other: string): string =>
      lines
        .filter((line) => !line.startsWith(other))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    const parts = source.split(side('+'));
    if (parts.length !== 2)
      throw new Error(`${place} does not fit: its lines occur ${parts.length - 1} times.`);
    return parts.join(side('-'));
  }, before);
}
