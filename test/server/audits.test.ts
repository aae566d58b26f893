/** GraphQL over HTTP, as its own suite of audits sees it. */
import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { openGateway } from '../support/open-gateway.ts';

const CSRF_HEADER = { 'x-graphql-yoga-csrf': '1' };

/** `id: status` of every audit that is not ok. */
async function auditsNotOk(url: string, extra: Record<string, string>): Promise<string[]> {
  const audits = serverAudits({
    url: `${url}/graphql`,
    fetchFn: (input: string, init: RequestInit = {}) =>
      fetch(input, { ...init, headers: { ...(init.headers as object), ...extra } }),
  });
  expect(audits).toHaveLength(61);
  const results = await Promise.all(audits.map((audit) => audit.fn()));
  return results
    .filter(({ status }) => status !== 'ok')
    .map((result) => `${result.id}: ${'reason' in result ? result.reason : ''}`);
}

describe('the graphql-http audits', () => {
  it('are all ok', async () => {
    const { url } = await openGateway();

    expect(await auditsNotOk(url, CSRF_HEADER)).toEqual([]);
  });

  it('miss three GETs when no header proves that a page may ask', async () => {
    const { url } = await openGateway();

    const notOk = await auditsNotOk(url, {});

    expect(notOk.map((line) => line.slice(0, 4)).sort()).toEqual(['5A70', '6A70', 'D6D5']);
  });
});
