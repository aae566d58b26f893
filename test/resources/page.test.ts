/** Creating pages and searching for them. */
import { expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { openGateway } from '../support/open-gateway.ts';

const CREATE = `mutation ($footerLinks: [FooterLinkGroupInput!]) {
  createPage(input: { brandId: "b", name: "n", pageContext: "c", actions: [], actionCardWidgets: [],
    scripts: [], footerLinks: $footerLinks }) {
    page { footerLinks { groupId title links { linkId text } } } } }`;

it('createPage keeps empty strings of footer links', async () => {
  const gateway = await openGateway({ fresh: true });
  const footerLinks = [{ groupId: 'g', title: '', links: [{ linkId: 'l', text: '' }] }];

  const { data } = await gateway.ask(CREATE, { variables: { footerLinks } });

  expect(data['createPage'].page.footerLinks).toEqual(footerLinks);
});

it('createPage creates empty lists for lists that the input omits', async () => {
  const gateway = await openGateway({ fresh: true });

  const { data, errors } =
    await gateway.ask(`mutation { createPage(input: { brandId: "b", name: "n", pageContext: "c" }) {
      page { actions { actionId } actionCardWidgets { title } scripts { name } } userErrors { message } } }`);

  expect(errors).toEqual([]);
  expect(data['createPage']).toEqual({
    page: { actions: [], actionCardWidgets: [], scripts: [] },
    userErrors: [],
  });
});

it('searchPages returns hits with their own ids and the ids of their pages, in one call', async () => {
  const gateway = await openGateway();

  const { data, errors } = await gateway.ask(
    '{ searchPages(query: "northwind", first: 2) { id pageId page { id pageId } } }',
  );

  expect(errors).toEqual([]);
  expect(gateway.restCalls).toHaveLength(1);
  const hits: { id: string; pageId: string; page: { id: string; pageId: string } }[] =
    data['searchPages'];
  expect(hits.length).toBeGreaterThan(0);
  for (const { id, pageId, page } of hits) {
    expect(page).toEqual({ id: formatNodeId('Page', [pageId]), pageId });
    // Relay keeps one record for each id, even for ids of different types.
    expect(id).not.toBe(page.id);
  }
  expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
  const { errors: refused } = await gateway.ask(`{ node(id: "${hits[0]!.id}") { id } }`);
  expect(refused?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
});
