#!/usr/bin/env node
/**
 * A `script-shell` of npm for tests, with only what every shell can do, cmd.exe among them: words, double quotes, `&&`.
 *
 * Anything else is taken literally, so that no command has that name. A batch file in the current folder is a command,
 * as cmd.exe finds it: here one that starts its arguments.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

for (const command of process.argv.at(-1).split(' && ')) {
  const words = command
    .match(/(?:"(?:[^"\\]|\\.)*"|[^\s"])+/g)
    .map((word) => word.replace(/"((?:[^"\\]|\\.)*)"/g, '$1'));
  const [name, ...given] = startsItsArguments(`${words[0]}.cmd`) ? words.slice(1) : words;
  const { status, error } = spawnSync(name, given, { stdio: 'inherit' });
  if (error) console.error(`${name}: ${error.code}`);
  if (status !== 0) process.exit(status ?? 127);
}

function startsItsArguments(batchFile) {
  if (!existsSync(batchFile)) return false;
  const commands = readFileSync(batchFile, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line && !/^@rem /.test(line));
  return commands.length === 1 && commands[0] === '@%*';
}
