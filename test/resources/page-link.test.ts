/** Page links: their filters, their page, which the backend does not state, and an audience's links. */
import { describe, expect, it } from 'vitest';
import { IDS } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';

const PAGE = IDS.page;
const CUSTOM_DOMAIN = 'domain_demo_custom';

describe('pageLinks', () => {
  it.each([
    ['', '?limit=2'],
    [', pageId: null, path: null, tenantDomainId: null', '?limit=2'],
    [`, pageId: "${PAGE}"`, `?pageId=${PAGE}&limit=2`],
    [', path: "/a b"', '?path=%2Fa%20b&limit=2'],
    [
      `, tenantDomainId: "${CUSTOM_DOMAIN}", pageId: "${PAGE}"`,
      `?pageId=${PAGE}&tenantDomainId=${CUSTOM_DOMAIN}&limit=2`,
    ],
  ])('with (first: 2%s) requests %s', async (args, query) => {
    const gateway = await openGateway();

    const { errors } = await gateway.ask(`{ pageLinks(first: 2${args}) { nodes { path } } }`);

    expect(errors).toEqual([]);
    expect(gateway.restCalls).toEqual([`GET /v0/page_links${query}`]);
  });

  it('resolves the page and the audience of links that are filtered by pageId', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(`{ pageLinks(first: 3, pageId: "${PAGE}") { nodes {
      pageLinkId tenantDomainId createdAt page { pageId name }
      target { targetType audienceId audience { pageId audienceId effectiveName } } } } }`);

    const { nodes } = data['pageLinks'];
    const audiences = new Set(nodes.map((link: any) => link.target.audienceId));
    expect(errors).toEqual([]);
    expect(nodes).toHaveLength(3);
    for (const { page, target } of nodes) {
      expect(page.pageId).toBe(PAGE);
      expect(target.audience).toMatchObject({ pageId: PAGE, audienceId: target.audienceId });
    }
    expect(gateway.restCalls).toHaveLength(2 + audiences.size);
  });

  it('fails the page and the audience of links without a pageId, with a message that suggests one', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(
      '{ pageLinks(first: 1) { nodes { path page { pageId } target { audienceId audience { audienceId } } } } }',
    );

    const [link] = data['pageLinks'].nodes;
    expect(link).toMatchObject({ page: null, target: { audience: null } });
    expect(link.target.audienceId).toBeTruthy();
    expect(errors).toHaveLength(2);
    for (const { message, extensions } of errors ?? []) {
      expect(extensions['code']).toBe('UPSTREAM_UNSUPPORTED');
      expect(message).toContain('pageLinks(pageId:)');
    }
    expect(gateway.restCalls).toHaveLength(1);
  });

  it('returns the same as Page.links, with one read of the links for both', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(`{
      known: page(pageId: "${PAGE}") { links(first: 20) { nodes { page { pageId } } } }
      asked: pageLinks(first: 20, pageId: "${PAGE}") { nodes { page { pageId } } } }`);

    expect(errors).toEqual([]);
    expect(data['asked'].nodes).toEqual(data['known'].links.nodes);
    expect(gateway.restCalls.filter((call) => call.includes('page_links'))).toHaveLength(1);
  });
});

describe('Page.links', () => {
  it('is read in one round trip with its page, and resolves that page without another call', async () => {
    const gateway = await openGateway({ sample: { latencyMs: 20 } });

    const { data, errors } = await gateway.ask(
      `{ page(pageId: "${PAGE}") { name links { totalCount nodes { path page { name } } } } }`,
    );

    const { name, links } = data['page'];
    expect(errors).toEqual([]);
    expect(links.nodes).toHaveLength(links.totalCount);
    expect(new Set(links.nodes.map((link: any) => link.page.name))).toEqual(new Set([name]));
    expect(gateway.restCalls).toHaveLength(2);
    expect(gateway.journal.rounds).toBe(1);
  });

  it('is filtered by tenantDomainId and by path', async () => {
    const gateway = await openGateway();

    const { data: custom } = await gateway.ask(`{ page(pageId: "${PAGE}") {
      links(tenantDomainId: "${CUSTOM_DOMAIN}") { nodes { path tenantDomainId } } } }`);
    const [link] = custom['page'].links.nodes;
    const { data: one } = await gateway.ask(
      `query ($path: String) { page(pageId: "${PAGE}") {
        links(path: $path, tenantDomainId: "${CUSTOM_DOMAIN}") { nodes { path } } } }`,
      { variables: { path: link.path } },
    );

    expect(link.tenantDomainId).toBe(CUSTOM_DOMAIN);
    expect(one['page'].links.nodes).toEqual([{ path: link.path }]);
  });
});

describe('Audience.links', () => {
  it('contains the links of the page that lead to the audience', async () => {
    const gateway = await openGateway();
    const { data: page } = await gateway.ask(
      `{ page(pageId: "${PAGE}") { links(first: 100) { nodes { pageLinkId target { audienceId } } } } }`,
    );

    const { data, errors } =
      await gateway.ask(`{ audience(pageId: "${PAGE}", audienceId: "${IDS.audience}") {
      effectiveName links { totalCount nodes { pageLinkId page { pageId } target { audience { effectiveName } } } } } }`);

    const { effectiveName, links } = data['audience'];
    const own = page['page'].links.nodes
      .filter((link: any) => link.target.audienceId === IDS.audience)
      .map((link: any) => link.pageLinkId);
    expect(errors).toEqual([]);
    expect(own.length).toBeGreaterThan(0);
    expect(links.totalCount).toBe(own.length);
    expect(links.nodes.map((link: any) => link.pageLinkId)).toEqual(own);
    expect(links.nodes[0].page.pageId).toBe(PAGE);
    expect(links.nodes[0].target.audience.effectiveName).toBe(effectiveName);
    expect(gateway.restCalls.toSorted()).toEqual([
      `GET /v0/page_links?pageId=${PAGE}&limit=100`,
      `GET /v0/pages/${PAGE}/audiences/${IDS.audience}`,
    ]);
  });

  it('is read with one call for ten audiences of a page', async () => {
    const gateway = await openGateway();

    const { errors } = await gateway.ask(
      `{ page(pageId: "${PAGE}") { audiences(first: 10) { nodes { links { nodes { path } } } } } }`,
    );

    expect(errors).toEqual([]);
    expect(gateway.restCalls).toHaveLength(2);
  });

  it('shares one read of the page’s links with Page.audiences, with only the routes of the API spec', async () => {
    const gateway = await openGateway({ rest: { routeSet: 'document' } });

    const { errors } = await gateway.ask(`{ page(pageId: "${PAGE}") { pageId
      audiences { nodes { audienceId links { nodes { page { pageId } } } } } links { totalCount } } }`);

    expect(errors).toEqual([]);
    expect(gateway.restCalls.filter((call) => call.endsWith('limit=100'))).toHaveLength(1);
  });
});
