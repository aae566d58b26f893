/** Page links: their filters, the page that only the gateway can know, and an audience's links. */
import { describe, expect, it } from 'vitest';
import { IDS } from '../support/ids.ts';
import { openStack } from '../support/open-stack.ts';

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
  ])('with (first: 2%s) asks for %s', async (args, query) => {
    const stack = await openStack();

    const { errors } = await stack.query(`{ pageLinks(first: 2${args}) { nodes { path } } }`);

    expect(errors).toBeUndefined();
    expect(stack.restCalls).toEqual([`GET /v0/page_links${query}`]);
  });

  it('know their page when they were asked for by it', async () => {
    const stack = await openStack();

    const { data, errors } = await stack.query(`{ pageLinks(first: 3, pageId: "${PAGE}") { nodes {
      pageLinkId tenantDomainId createdAt page { pageId name }
      target { targetType audienceId audience { pageId audienceId effectiveName } } } } }`);

    const { nodes } = data['pageLinks'];
    const audiences = new Set(nodes.map((link: any) => link.target.audienceId));
    expect(errors).toBeUndefined();
    for (const { page, target } of nodes) {
      expect(page.pageId).toBe(PAGE);
      expect(target.audience).toMatchObject({ pageId: PAGE, audienceId: target.audienceId });
    }
    expect(stack.restCalls).toHaveLength(2 + audiences.size);
  });

  it('say what to do when their page is unknown', async () => {
    const stack = await openStack();

    const { data, errors } = await stack.query(
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
    expect(stack.restCalls).toHaveLength(1);
  });

  it('do not mind what other field read the same links first', async () => {
    const stack = await openStack();

    const { data, errors } = await stack.query(`{
      known: page(pageId: "${PAGE}") { links(first: 20) { nodes { page { pageId } } } }
      asked: pageLinks(first: 20, pageId: "${PAGE}") { nodes { page { pageId } } } }`);

    expect(errors).toBeUndefined();
    expect(data['asked'].nodes).toEqual(data['known'].links.nodes);
    expect(stack.restCalls.filter((call) => call.includes('page_links'))).toHaveLength(1);
  });
});

describe('Page.links', () => {
  it('is read beside its page, and leads back to it for nothing', async () => {
    const stack = await openStack({ latencyMs: 20 });

    const { data, errors } = await stack.query(
      `{ page(pageId: "${PAGE}") { name links { totalCount nodes { path page { name } } } } }`,
    );

    const { name, links } = data['page'];
    expect(errors).toBeUndefined();
    expect(links.nodes).toHaveLength(links.totalCount);
    expect(new Set(links.nodes.map((link: any) => link.page.name))).toEqual(new Set([name]));
    expect(stack.restCalls).toHaveLength(2);
    expect(stack.journal.rounds).toBe(1);
  });

  it('finds the links of another domain, and the one with a path', async () => {
    const stack = await openStack();

    const { data: custom } = await stack.query(`{ page(pageId: "${PAGE}") {
      links(tenantDomainId: "${CUSTOM_DOMAIN}") { nodes { path tenantDomainId } } } }`);
    const [link] = custom['page'].links.nodes;
    const { data: one } = await stack.query(
      `query ($path: String) { page(pageId: "${PAGE}") {
        links(path: $path, tenantDomainId: "${CUSTOM_DOMAIN}") { nodes { path } } } }`,
      { path: link.path },
    );

    expect(link.tenantDomainId).toBe(CUSTOM_DOMAIN);
    expect(one['page'].links.nodes).toEqual([{ path: link.path }]);
  });
});

describe('Audience.links', () => {
  it('are those of the page’s links that lead to it', async () => {
    const stack = await openStack();
    const { data: page } = await stack.query(
      `{ page(pageId: "${PAGE}") { links(first: 100) { nodes { pageLinkId target { audienceId } } } } }`,
    );

    const { data, errors } =
      await stack.query(`{ audience(pageId: "${PAGE}", audienceId: "${IDS.audience}") {
      effectiveName links { totalCount nodes { pageLinkId page { pageId } target { audience { effectiveName } } } } } }`);

    const { effectiveName, links } = data['audience'];
    const own = page['page'].links.nodes
      .filter((link: any) => link.target.audienceId === IDS.audience)
      .map((link: any) => link.pageLinkId);
    expect(errors).toBeUndefined();
    expect(own.length).toBeGreaterThan(0);
    expect(links.totalCount).toBe(own.length);
    expect(links.nodes.map((link: any) => link.pageLinkId)).toEqual(own);
    expect(links.nodes[0].page.pageId).toBe(PAGE);
    expect(links.nodes[0].target.audience.effectiveName).toBe(effectiveName);
    expect(stack.restCalls.toSorted()).toEqual([
      `GET /v0/page_links?pageId=${PAGE}&limit=100`,
      `GET /v0/pages/${PAGE}/audiences/${IDS.audience}`,
    ]);
  });

  it('of many audiences of a page are read together', async () => {
    const stack = await openStack();

    const { errors } = await stack.query(
      `{ page(pageId: "${PAGE}") { audiences(first: 10) { nodes { links { nodes { path } } } } } }`,
    );

    expect(errors).toBeUndefined();
    expect(stack.restCalls).toHaveLength(2);
  });

  it.each([1, 2])('are walked %i at a time without overlap', async (first) => {
    const stack = await openStack();
    const page = (after: string | null) =>
      stack.query(
        `query ($after: String) { audience(pageId: "${PAGE}", audienceId: "${IDS.audience}") {
          links(first: ${first}, after: $after) { totalCount nodes { pageLinkId } pageInfo { hasNextPage endCursor } } } }`,
        { after },
      );
    const seen: string[] = [];
    let total = 0;

    for (let after: string | null = null, more = true; more;) {
      const { data }: any = await page(after);
      const { links } = data.audience;
      seen.push(...links.nodes.map((link: any) => link.pageLinkId));
      total = links.totalCount;
      after = links.pageInfo.endCursor;
      more = links.pageInfo.hasNextPage;
    }

    expect(seen).toHaveLength(total);
    expect(new Set(seen).size).toBe(total);
  });

  it('shares the walk that finds the page’s audiences, with the document’s routes alone', async () => {
    const stack = await openStack({ routeSet: 'document' });

    const { errors } = await stack.query(`{ page(pageId: "${PAGE}") { pageId
      audiences { nodes { audienceId links { nodes { page { pageId } } } } } links { totalCount } } }`);

    expect(errors).toBeUndefined();
    expect(stack.restCalls.filter((call) => call.endsWith('limit=100'))).toHaveLength(1);
  });
});
