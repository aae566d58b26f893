/**
 * A gateway that is configured for a backend with the 20 routes of the API spec and no others.
 */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import { DOCUMENT_ROUTES, openGateway, type InProcessGateway } from '../support/open-gateway.ts';

const gateway = (): Promise<InProcessGateway> => openGateway(DOCUMENT_ROUTES);

describe('the routes of the API spec', () => {
  it('give a page the audiences of its links, and their total as audiencesCount', async () => {
    const { ask } = await gateway();

    const { data, errors } = await ask(`{ page(pageId: "${IDS.page}") { name audiencesCount
      audiences(first: 3) { totalCount nodes { id audienceId pageId page { name } } } } }`);

    expect(errors).toEqual([]);
    expect(data['page'].audiences.totalCount).toBe(data['page'].audiencesCount);
    expect(data['page'].audiences.nodes[0]).toEqual({
      id: formatNodeId('Audience', [IDS.page, data['page'].audiences.nodes[0].audienceId]),
      audienceId: expect.stringMatching(/^audience_northwind_/) as string,
      pageId: IDS.page,
      page: { name: 'Northwind launch' },
    });
  });

  it('page through the audiences of a page, each exactly once', async () => {
    const { ask } = await gateway();
    const all = await ask(
      `{ page(pageId: "${IDS.page}") { audiences(first: 100) { nodes { audienceId } } } }`,
    );
    const wanted = all.data['page'].audiences.nodes.map((node: any) => node.audienceId);
    const seen: string[] = [];
    let after: any = null;

    do {
      const { data } = await ask(
        `query Walk($after: String) { page(pageId: "${IDS.page}") { audiences(first: 4, after: $after) {
           nodes { audienceId } pageInfo { hasNextPage endCursor } } } }`,
        { variables: { after } },
      );
      const { nodes, pageInfo } = data['page'].audiences;
      seen.push(...nodes.map((node: any) => node.audienceId));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after);

    expect(seen).toEqual(wanted);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('fail an audience with an error that names the missing route when more than its ids are selected', async () => {
    const { ask } = await gateway();

    const { data, errors } = await ask(
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

  it('fail searchPages with UPSTREAM_UNSUPPORTED', async () => {
    const { ask } = await gateway();

    const { data, errors } = await ask('{ searchPages(query: "north") { name } }');

    expect(data).toEqual({ searchPages: null });
    expect(errors?.[0]?.extensions['code']).toBe('UPSTREAM_UNSUPPORTED');
  });

  it('give the versions of the audience that createAudience created', async () => {
    const { ask } = await openGateway({
      fresh: true,
      ...DOCUMENT_ROUTES,
    });

    const { data, errors } = await ask(`mutation { createAudience(input: {
      pageId: "${IDS.page}", publishBehavior: draft }) { audience { effectiveName
        versions { totalCount nodes { versionNumber status page { name } } } } } }`);

    expect(errors).toEqual([]);
    expect(data['createAudience'].audience.versions).toEqual({
      totalCount: 1,
      nodes: [{ versionNumber: 1, status: 'draft', page: { name: 'Northwind launch' } }],
    });
  });
});
