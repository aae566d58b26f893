/**
 * Runs the quick lane on Node 24, which is recommended, and then on the other versions that are promised, side by side,
 * its tests of what meets Node (sockets, streams, timers, processes). Packages of npm hold the binaries; a version that
 * cannot be had is skipped. Ends with 1 when one of them fails.
 */
import { execSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RECOMMENDED = 24;
const LANES = ['--project=quick', '--project=system'];
const filesOf = (folder, ...names) => names.map((name) => `test/${folder}/${name}.`);
const WHAT = [
  ...filesOf('rest', 'answer', 'bytes', 'connections', 'deadline', 'retry', 'tls', 'write'),
  ...filesOf('live', 'event-stream', 'web-socket', 'web-socket-operations'),
  ...filesOf('gateway', 'base-path', 'drain', 'http', 'incremental', 'process'),
];

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log('npm run test:nodes\n\nRuns tests on other versions of Node. Takes no arguments.');
  process.exit();
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
await testOn(RECOMMENDED, ['--project=quick']);
await Promise.all([22, 26].map((version) => testOn(version, [...LANES, ...WHAT])));

async function testOn(version, tests) {
  const folder = mkdtempSync(join(tmpdir(), 'node-'));
  if (fetchNode(version, folder)) {
    const path = [join(folder, 'package/bin'), process.env['PATH']].join(delimiter);
    const run = async (...given) => {
      const child = spawn('node', given, { env: { ...process.env, PATH: path } });
      let output = '';
      child.stdout.on('data', (text) => (output += text));
      child.stderr.on('data', (text) => (output += text));
      const [code] = await once(child, 'close');
      process.stdout.write(`Node ${version}:\n${output}`);
      return code;
    };
    // As a user starts it: a flag that this version lacks would end it here.
    const failed =
      (await run('--import', 'tsx', 'test/support/start-once.ts', '.')) ||
      (await run('node_modules/vitest/vitest.mjs', 'run', '--retry=2', ...tests));
    if (failed) process.exitCode = 1;
  } else {
    console.log(`Skipped: tests on Node ${version}, which cannot be had here`);
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
