/**
 * Runs the quick tests of what meets Node (sockets, streams, timers, processes) on its other versions that are promised;
 * what only computes is the same on each. Packages of npm hold the binaries; a version that cannot be had is skipped.
 * Ends with 1 when one of them fails.
 */
import { execSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WHAT = [
  ...['test/rest/', 'test/live/', 'test/extensions/mcp/', 'test/extensions/recording/'],
  ...['base-path', 'carriers', 'drain', 'http', 'incremental', 'process'].map(
    (name) => `test/server/${name}.`,
  ),
];

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
for (const version of [22, 24, 26]) {
  const folder = mkdtempSync(join(tmpdir(), 'node-'));
  if (fetchNode(version, folder)) {
    const path = [join(folder, 'package/bin'), process.env['PATH']].join(delimiter);
    const run = (...given) =>
      spawnSync('node', given, { stdio: 'inherit', env: { ...process.env, PATH: path } }).status;
    run('--version');
    // As a user starts it: a flag that this version lacks would end it here.
    const failed =
      run('--import', 'tsx', 'test/support/start-once.ts', '.') ||
      run('node_modules/vitest/vitest.mjs', 'run', '--project', 'quick', '--retry=2', ...WHAT);
    if (failed) process.exitCode = 1;
  } else {
    console.log(`Node ${version} cannot be had here: skipped.`);
  }
  rmSync(folder, { recursive: true });
}

function fetchNode(version, cwd) {
  try {
    execSync(`npm pack --silent node-${platform()}-${arch()}@${version}`, { cwd, stdio: 'pipe' });
    const [archive] = readdirSync(cwd);
    execSync(`tar -xzf ${archive}`, { cwd, stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
