/** Trusted documents at the start of a process. */
import { expect, it } from 'vitest';
import { linesOf } from '../support/open-log.ts';
import { openFolder } from '../support/folder.ts';
import { startProcess } from '../support/gateway-process.ts';

const TOPICS = 'query Topics { topics(first: 1) { nodes { title } } }';
const MANIFEST = { 'web-1.json': { 'topics-1': TOPICS } };

it('fails to start, with one line, when a file of trusted documents is invalid', async () => {
  const folder = openFolder({ ...MANIFEST, 'web-2.json': '{"0":"query' });

  const product = startProcess({ TRUSTED_DOCUMENTS: folder });

  expect(await product.exit()).toBe(1);
  expect(product.stderr).toMatch(/^TRUSTED_DOCUMENTS: .*web-2\.json.* JSON.*\n$/);
  expect(product.stdout).not.toContain('Ready');
});

it('reads trusted documents before the process is ready', async () => {
  const product = startProcess({ TRUSTED_DOCUMENTS: openFolder(MANIFEST), LOG_LEVEL: 'info' });

  await product.ready();

  const lines = linesOf(product.stdout);
  const ready = lines.findIndex(({ msg }) => msg.startsWith('Ready:'));
  expect(lines.slice(0, ready)).toContainEqual(expect.objectContaining({ files: 1, documents: 1 }));
});
