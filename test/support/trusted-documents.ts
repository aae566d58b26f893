/** A gateway with manifests of trusted documents. */

import { openFolder } from './folder.ts';
import { openGateway, type InProcessOptions } from './open-gateway.ts';

/** Opens a gateway that trusts these documents. */
export async function openWithTrustedDocuments(
  manifests: Record<string, Record<string, string>>,
  options: InProcessOptions = {},
) {
  const site = await openGateway({ ...options, documents: { folder: openFolder(manifests) } });
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
