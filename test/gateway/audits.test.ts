/** T31: the audits of graphql-http for GraphQL over HTTP. */
import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { openGateway } from '../support/open-gateway.ts';

const CSRF_HEADER = { 'x-graphql-yoga-csrf': '1' };

/** `id: status` of every audit that is not ok. */
async function auditsNotOk(extra: Record<string, string>): Promise<string[]> {
  const { url, restCalls } = await openGateway();
  const audits = serverAudits({
    url: `${url}/graphql`,
    fetchFn: (input: string, init: RequestInit = {}) =>
      fetch(input, { ...init, headers: { ...(init.headers as object), ...extra } }),
  });
  expect(audits).toHaveLength(61);
  const results = await Promise.all(audits.map((audit) => audit.fn()));
  expect(restCalls).toEqual([]);
  return results.flatMap(({ id, status }) => (status === 'ok' ? [] : [`${id}: ${status}`])).sort();
}

describe('the graphql-http audits', () => {
  it('T31: all pass with a CSRF header', async () => {
    expect(await auditsNotOk(CSRF_HEADER)).toEqual([]);
  });

  it('T31: report three notices for GET without a CSRF header', async () => {
    expect(await auditsNotOk({})).toEqual(['5A70: notice', '6A70: notice', 'D6D5: notice']);
  });
});
