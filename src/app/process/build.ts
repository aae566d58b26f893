/**
 * The output of `npm run build`: its location, and whether it is up to date.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
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

/** Sources of GraphiQL's page. */
const OF_PAGE = /^(?:explorer|client[\\/]documents)[\\/]/;

/** Sources of the client package, which the gateway does not import. */
const OF_CLIENT = /^client[\\/]/;

/** Returns a warning if a source is newer than its build. Servers have no sources. */
export function staleBuild(): string[] {
  const sources = join(ROOT, 'src');
  if (!isBuilt || !existsSync(sources)) return [];
  const timeOf = (built: string): number =>
    statSync(join(DIST, built), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  const [gateway, page] = [timeOf('main.js'), timeOf('explorer/index.html')];
  const newer = readdirSync(sources, { recursive: true, encoding: 'utf8' }).find((file) => {
    // Temporary files of editors may be gone by now.
    const stat = statSync(join(sources, file), { throwIfNoEntry: false });
    if (OF_PAGE.test(file)) return stat?.isFile() && stat.mtimeMs > page;
    return stat?.isFile() && stat.mtimeMs > gateway && !OF_CLIENT.test(file);
  });
  if (newer === undefined) return [];
  return [`dist/ is older than ${join('src', newer)}. Rebuild it with "npm run build".`];
}
