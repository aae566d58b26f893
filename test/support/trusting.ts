/** A gateway with manifests of trusted documents. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

import { openGateway, type InProcessOptions } from './open-gateway.ts';

/** A folder of manifests, by the names of their files. */
async function openFolder(manifests: Record<string, Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trusted-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [file, manifest] of Object.entries(manifests)) {
    await writeFile(join(folder, file), JSON.stringify(manifest));
  }
  return folder;
}

/** A gateway that trusts them. */
export async function openTrusting(
  manifests: Record<string, Record<string, string>>,
  options: InProcessOptions = {},
) {
  const folder = await openFolder(manifests);
  const site = await openGateway({ ...options, documents: { folder } });
  await site.gateway.open();
  const byId = (documentId: string, headers: Record<string, string> = {}) =>
    site.post({ documentId }, { 'x-api-key': 'demo', ...headers });
  const operations = async () => {
    const { text } = await site.get('/metrics');
    return [...text.matchAll(/^gateway_operations_total\{(.*)\} (\d+)$/gm)].map(
      ([, labels, count]) => `${labels} ${count}`,
    );
  };
  return Object.assign(site, { byId, operations });
}
