/** A gateway whose memory is limited by a control group, as a container's is. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { NODE_FLAGS } from '../bench/machine.ts';
import { buildGateway } from './gateway-build.ts';
import { until } from './until.ts';

/** A control group with a limit of memory, in version 1 or 2; undefined if none can be made. */
function openGroup(bytes: number): string | undefined {
  for (const [folder, limit] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
    ['/sys/fs/cgroup', 'memory.max'],
  ] as const) {
    const group = join(folder, `gateway-test-${process.pid}`);
    try {
      mkdirSync(group);
      onTestFinished(() => rmdirSync(group));
      writeFileSync(join(group, limit), String(bytes));
      return group;
    } catch {
      // Not mounted, not writable, or without a memory controller.
    }
  }
  return undefined;
}

/** Starts a gateway as `npm start` does, in a control group of this size; undefined if none can be made. */
export async function startInGroup(
  megabytes: number,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly process: ChildProcess; readonly url: string } | undefined> {
  const main = await buildGateway();
  const group = openGroup(megabytes * 2 ** 20);
  if (!group) {
    process.stderr.write('No control group can be made here: the size of memory is not tested.\n');
    return undefined;
  }
  const gateway = spawn(
    'sh',
    [
      '-c',
      'echo $$ > "$0/cgroup.procs" && exec "$@"',
      group,
      ...[process.execPath, ...NODE_FLAGS, main],
    ],
    { env: { ...process.env, PORT: '0', LOG_LEVEL: 'info', ...env } },
  );
  const ended = once(gateway, 'exit');
  onTestFinished(async () => {
    gateway.kill('SIGKILL');
    await ended;
  });
  let output = '';
  gateway.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  gateway.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const urlOf = () => /http:\/\/[\d.:]+(?=\/graphql)/.exec(output)?.[0];
  await until(() => urlOf() !== undefined);
  return { process: gateway, url: urlOf()! };
}
