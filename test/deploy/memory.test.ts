/** The memory that the Deployment requests: a process in a control group of that size. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { routes } from '../../src/v0/routes.ts';
import { NODE_FLAGS } from '../bench/machine.ts';
import { clientOf } from '../support/client.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { ok } from '../support/faults.ts';
import { buildGateway } from '../support/gateway-build.ts';
import { until } from '../support/until.ts';
import { sampleOf } from '../support/world.ts';

const MAIN = await buildGateway();
const DEPLOYMENT = fileURLToPath(
  new URL('../../deploy/kubernetes/base/deployment.yaml', import.meta.url),
);
const CALLERS = 20;
const SECONDS = 8;
/** Length of each of a hundred names, so that an answer has 0.8 MB. */
const NAME_LENGTH = 8_000;

/** A control group with a limit of memory, in version 1 or 2; undefined where none can be made. */
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

it('a gateway survives in the memory that a pod requests while twenty callers read answers of 0.8 MB', async (context) => {
  const { resources } = parse(readFileSync(DEPLOYMENT, 'utf8')).spec.template.spec.containers[0];
  const megabytes = Number(/^(\d+)Mi$/.exec(resources.requests.memory)![1]);
  const group = openGroup(megabytes * 2 ** 20);
  if (!group) {
    process.stderr.write('No control group can be made here: the size of memory is not tested.\n');
    return context.skip();
  }
  const backend = await openFaultUpstream();
  onTestFinished(() => backend.stop());
  const persons = Array.from({ length: 100 }, (_, i) => ({
    ...(sampleOf(routes.getPerson) as object),
    personId: `p${i}`,
    name: 'n'.repeat(NAME_LENGTH),
  }));
  backend.on('GET /v0/persons', ok({ items: persons, nextCursor: null }));
  const gateway = spawn(
    'sh',
    [
      '-c',
      'echo $$ > "$0/cgroup.procs" && exec "$@"',
      group,
      ...[process.execPath, ...NODE_FLAGS, MAIN],
    ],
    { env: { ...process.env, PORT: '0', UPSTREAM_URL: backend.url, LOG_LEVEL: 'info' } },
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
  const { ask } = clientOf(urlOf()!, 'a');
  const untilMs = performance.now() + SECONDS * 1_000;

  const lengths = await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      const found: number[] = [];
      while (performance.now() < untilMs || found.length < 2) {
        const reply = await ask('{ persons(first: 100) { nodes { id name email } } }', {
          apiKey: `key-${caller}`,
        });
        found.push(reply.data.persons.nodes.length);
      }
      return found;
    }),
  );

  expect(gateway.exitCode).toBe(null);
  expect(gateway.signalCode).toBe(null);
  expect(lengths.flat().every((length) => length === 100)).toBe(true);
});
