/**
 * In front of a backend that has the 20 routes of the REST document, and no others.
 */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import { openStack, type Stack } from '../support/open-stack.ts';

const stack = (): Promise<Stack> => openStack({ routes: 'document', routeSet: 'document' });

describe('the document’s routes', () => {
  it('show a page’s audiences by its links, and count them by the page', async () => {
    const { query } = await stack();

    const { data, errors } = await query(`{ page(pageId: "${IDS.page}") { name audiencesCount
      audiences(first: 3) { totalCount nodes { id audienceId pageId page { name } } } } }`);

    expect(errors).toBeUndefined();
    expect(data['page'].audiences.totalCount).toBe(data['page'].audiencesCount);
    expect(data['page'].audiences.nodes[0]).toEqual({
      id: formatNodeId('Audience', [IDS.page, data['page'].audiences.nodes[0].audienceId]),
      audienceId: expect.stringMatching(/^audience_northwind_/) as string,
      pageId: IDS.page,
      page: { name: 'Northwind launch' },
    });
  });

  it('walk those audiences like any list', async () => {
    const { query } = await stack();
    const all = await query(
      `{ page(pageId: "${IDS.page}") { audiences(first: 100) { nodes { audienceId } } } }`,
    );
    const wanted = all.data['page'].audiences.nodes.map((node: any) => node.audienceId);
    const seen: string[] = [];
    let after: any = null;

    do {
      const { data } = await query(
        `query Walk($after: String) { page(pageId: "${IDS.page}") { audiences(first: 4, after: $after) {
           nodes { audienceId } pageInfo { hasNextPage endCursor } } } }`,
        { after },
      );
      const { nodes, pageInfo } = data['page'].audiences;
      seen.push(...nodes.map((node: any) => node.audienceId));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after);

    expect(seen).toEqual(wanted);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('say which route is missing for more than an audience’s ids', async () => {
    const { query } = await stack();

    const { data, errors } = await query(
      `{ page(pageId: "${IDS.page}") { audiences(first: 1) { nodes { effectiveName } } } }`,
    );

    expect(data['page'].audiences.nodes).toEqual([null]);
    expect(errors?.[0]).toMatchObject({
      path: ['page', 'audiences', 'nodes', 0],
      extensions: {
        code: 'UPSTREAM_UNSUPPORTED',
        upstream: { method: 'GET', route: '/v0/pages/{page_id}/audiences/{audience_id}' },
      },
    });
  });

  it('cannot search pages, and say so', async () => {
    const { query } = await stack();

    const { data, errors } = await query('{ searchPages(query: "north") { name } }');

    expect(data).toEqual({ searchPages: null });
    expect(errors?.[0]?.extensions['code']).toBe('UPSTREAM_UNSUPPORTED');
  });

  it('show the versions that came with an audience that a mutation answered', async () => {
    const { query } = await openStack({ routes: 'document', routeSet: 'document', fresh: true });

    const { data, errors } = await query(`mutation { createAudience(input: {
      pageId: "${IDS.page}", publishBehavior: draft }) { audience { effectiveName
        versions { totalCount nodes { versionNumber status page { name } } } } } }`);

    expect(errors).toBeUndefined();
    expect(data['createAudience'].audience.versions).toEqual({
      totalCount: 1,
      nodes: [{ versionNumber: 1, status: 'draft', page: { name: 'Northwind launch' } }],
    });
  });

  it('find an account among all, by id and by global id', async () => {
    const { query } = await stack();

    const { data, errors } = await query(`{ account(accountId: "${IDS.account}") { name }
      node(id: "${formatNodeId('Account', [IDS.account])}") { ... on Account { domain } }
      nobody: account(accountId: "nobody") { name } }`);

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      account: { name: 'Harborlight Logistics' },
      node: { domain: 'harborlight-logistics.example' },
      nobody: null,
    });
  });
});
