#!/usr/bin/env node
/**
 * A `script-shell` of npm for tests, with only what every shell can do, cmd.exe among them: words, double quotes, `&&`.
 *
 * Anything else is taken literally, so that no command has that name.
 */
import { spawnSync } from 'node:child_process';

for (const command of process.argv.at(-1).split(' && ')) {
  const [name, ...given] = command
    .match(/(?:"(?:[^"\\]|\\.)*"|[^\s"])+/g)
    .map((word) => word.replace(/"((?:[^"\\]|\\.)*)"/g, '$1'));
  const { status, error } = spawnSync(name, given, { stdio: 'inherit' });
  if (error) console.error(`${name}: ${error.code}`);
  if (status !== 0) process.exit(status ?? 127);
}
