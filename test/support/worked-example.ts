/**
 * Applies a page of the documentation that adds code: `ts file src/a.ts` behind a fence is a whole new
 * file, `diff file src/b.ts` a change of one that is there.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from './pages.ts';

/** Writes what the page says below `root`. @returns the files it wrote. */
export function applyPage({ blocks, prose }: Page, root: string): readonly string[] {
  return blocks.flatMap(({ language, info, place, text }) => {
    const [, file] = /^file (\S+)$/.exec(info) ?? [];
    if (file === undefined) return [];
    if (!prose.includes(`**${file}**`))
      throw new Error(`${place} does not show that it is ${file}.`);
    const path = join(root, file);
    if (language === 'diff') {
      writeFileSync(path, applyDiff(readFileSync(path, 'utf8'), text, place));
    } else {
      if (existsSync(path)) throw new Error(`${place} is not new: ${file} is there.`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${text}\n`);
    }
    return [file];
  });
}

/** Hunks are apart by `@@`, and each is found by its lines. */
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
      throw new Error(`${place} does not fit: its lines stand ${parts.length - 1} times.`);
    return parts.join(side('-'));
  }, before);
}
