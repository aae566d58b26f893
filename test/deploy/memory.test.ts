/** The memory that the Deployment requests: a process in a control group of that size. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { routes } from '../../src/v0/routes.ts';
import { clientOf } from '../support/client.ts';
import { startInGroup } from '../support/control-group.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { ok } from '../support/faults.ts';
import { sampleOf } from '../support/world.ts';

const DEPLOYMENT = fileURLToPath(
  new URL('../../deploy/kubernetes/base/deployment.yaml', import.meta.url),
);
const CALLERS = 20;
const SECONDS = 8;
/** Length of each of a hundred names, so that a response has 0.8 MB. */
const NAME_LENGTH = 8_000;

it('a gateway stays within the memory request of a pod while twenty callers read responses of 0.8 MB', async (context) => {
  const { resources } = parse(readFileSync(DEPLOYMENT, 'utf8')).spec.template.spec.containers[0];
  const megabytes = Number(/^(\d+)Mi$/.exec(resources.requests.memory)![1]);
  const backend = await openFaultUpstream();
  onTestFinished(() => backend.stop());
  const persons = Array.from({ length: 100 }, (_, i) => ({
    ...(sampleOf(routes.getPerson) as object),
    personId: `p${i}`,
    name: 'n'.repeat(NAME_LENGTH),
  }));
  backend.on('GET /v0/persons', ok({ items: persons, nextCursor: null }));
  const gateway = await startInGroup(megabytes, { UPSTREAM_URL: backend.url });
  if (!gateway) return context.skip();
  const { ask } = clientOf(gateway.url, 'a');
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

  expect(gateway.process.exitCode).toBe(null);
  expect(gateway.process.signalCode).toBe(null);
  expect(lengths.flat().every((length) => length === 100)).toBe(true);
});
