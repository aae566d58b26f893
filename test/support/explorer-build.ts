/**
 * GraphiQL's page as `npm run build` makes it: an existing build, or a new one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'dist/explorer');

/** The folder of the build. */
export function buildExplorer(): string {
  if (!existsSync(join(FOLDER, 'index.html')))
    execFileSync('npm', ['run', 'build:explorer'], { cwd: ROOT, stdio: 'pipe' });
  return FOLDER;
}
