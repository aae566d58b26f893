/**
 * Packages of peers: installed as a folder's lock file says, and named with their versions.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from './machine.ts';

/** Anew when the lock file is younger than what is installed. */
export function installPackages(folder: string): void {
  const installed = modified(join(folder, 'node_modules/.package-lock.json'));
  if (installed !== undefined && installed >= modified(join(folder, 'package-lock.json'))!) return;
  process.stderr.write(`Installing the peers of ${folder}\n`);
  // Some of their packages ask for Node 22 where they are not used.
  runToEnd('npm', ['ci', '--no-audit', '--no-fund', '--engine-strict=false'], folder);
}

export function versionsOf(folder: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.entries(dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}

/** In milliseconds; undefined when there is no such file. */
const modified = (file: string): number | undefined =>
  statSync(file, { throwIfNoEntry: false })?.mtimeMs;
