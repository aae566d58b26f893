/**
 * The output of `npm run build`: its location, and whether it is up to date.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { orUndefined } from '../../lib/or-undefined.ts';

/** False if the sources run directly, as in `npm run dev`. */
const isBuilt = !import.meta.filename.endsWith('.ts');

const ROOT = join(import.meta.dirname, isBuilt ? '..' : '../../..');

/** `dist/`, which contains this file when it is built. */
const DIST = isBuilt ? import.meta.dirname : join(ROOT, 'dist');

/** GraphiQL's build. */
export const EXPLORER_FOLDER = join(DIST, 'explorer');

/** Version of this project; `unknown` without its `package.json`. */
export function versionOf(): string {
  const file = join(isBuilt ? DIST : ROOT, 'package.json');
  const found = orUndefined(() => JSON.parse(readFileSync(file, 'utf8')) as { version?: string });
  return found?.version ?? 'unknown';
}

export const isExplorerBuilt = (): boolean => existsSync(join(EXPLORER_FOLDER, 'index.html'));

/** Returns a warning if a source is newer than the build. Servers have no sources. */
export function staleBuild(): string[] {
  const sources = join(ROOT, 'src');
  if (!isBuilt || !existsSync(sources)) return [];
  const { mtimeMs } = statSync(join(DIST, 'main.js'));
  const newer = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .map((file) => join(sources, file))
    .find((file) => {
      // Temporary files of editors may be gone by now.
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat?.isFile() && stat.mtimeMs > mtimeMs;
    });
  if (newer === undefined) return [];
  return [`dist/ is older than ${relative(ROOT, newer)}. Rebuild it with "npm run build".`];
}
