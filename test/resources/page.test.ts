/** Creating pages: what becomes of the input. */
import { expect, it } from 'vitest';
import { openStack } from '../support/open-stack.ts';

const CREATE = `mutation ($footerLinks: [FooterLinkGroupInput!]) {
  createPage(input: { brandId: "b", name: "n", pageContext: "c", actions: [], actionCardWidgets: [],
    scripts: [], footerLinks: $footerLinks }) {
    page { footerLinks { groupId title links { linkId text } } } } }`;

it('keeps every text of the input, empty ones too', async () => {
  const stack = await openStack({ fresh: true });
  const footerLinks = [{ groupId: 'g', title: '', links: [{ linkId: 'l', text: '' }] }];

  const { data } = await stack.query(CREATE, { footerLinks });

  expect(data['createPage'].page.footerLinks).toEqual(footerLinks);
});

it('makes a page without the lists that are left out', async () => {
  const stack = await openStack({ fresh: true });

  const { data, errors } = await stack.query(
    `mutation { createPage(input: { brandId: "b", name: "n", pageContext: "c" }) {
      page { actions { actionId } actionCardWidgets { title } scripts { name } } userErrors { message } } }`,
  );

  expect(errors).toBeUndefined();
  expect(data['createPage']).toEqual({
    page: { actions: [], actionCardWidgets: [], scripts: [] },
    userErrors: [],
  });
});
