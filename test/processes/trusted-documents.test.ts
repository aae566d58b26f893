/** Trusted documents at the start of a process. */
import { expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { startProcess } from '../support/gateway-process.ts';

const TOPICS = 'query Topics { topics(first: 1) { nodes { title } } }';
const MANIFEST = { 'web-1.json': { 'topics-1': TOPICS } };

it('fails to start, with one line, when a file of trusted documents is invalid', async () => {
  const folder = openFolder({ ...MANIFEST, 'web-2.json': '{"0":"query' });
  const line = 'TRUSTED_DOCUMENTS: bad file web-2.json: Not valid JSON. Fix or remove it.';

  const product = startProcess({ TRUSTED_DOCUMENTS: folder });

  expect(await product.exit()).toBe(1);
  expect(product.stderr).toBe(`${line}\n`);
  expect(product.stdout).not.toMatch(/Ready|last good set/);
});

it('reads trusted documents before the process is ready', async () => {
  const product = startProcess({ TRUSTED_DOCUMENTS: openFolder(MANIFEST), LOG_LEVEL: 'info' });

  await product.ready();

  const messages = product.stdout.split('\n').map((line) => /"msg":"([^"]*)/.exec(line)?.[1]);
  const ready = messages.findIndex((message) => message?.startsWith('Ready:'));
  expect(messages.slice(0, ready)).toContain('Trusted documents loaded');
});
