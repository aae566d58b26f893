/** Brands: read, listed, reached from a page, with their pages, and changed, with the calls that they cost. */
import { expect, it } from 'vitest';
import { openGateway } from '../support/open-gateway.ts';

it('reads a brand by its raw or its global id with one call', async () => {
  const gateway = await openGateway();
  const { data } = await gateway.ask(
    '{ brand(brandId: "brand_harbour") { id name status initial } }',
  );
  const { id, ...brand } = data['brand'];

  const { data: again } = await gateway.ask(
    `{ node(id: "${id}") { ... on Brand { brandId name } } none: brand(brandId: "none") { id } }`,
  );

  expect(brand).toEqual({ name: 'Harbour', status: 'active', initial: 'H' });
  expect(again).toEqual({ node: { brandId: 'brand_harbour', name: 'Harbour' }, none: null });
  expect(gateway.restCalls).toEqual(['GET /v0/brands/brand_harbour', 'GET /v0/brands/none']);
});

it('lists brands page by page', async () => {
  const gateway = await openGateway();
  const list = (after: string | null) =>
    gateway.ask(
      `query ($after: String) {
        brands(first: 1, after: $after) { totalCount nodes { brandId } pageInfo { endCursor } }
      }`,
      { variables: { after } },
    );

  const { data: first } = await list(null);
  const { data: second } = await list(first['brands'].pageInfo.endCursor);

  expect(first['brands']).toMatchObject({ totalCount: 2, nodes: [{ brandId: 'brand_harbour' }] });
  expect(second['brands'].nodes).toEqual([{ brandId: 'brand_lantern' }]);
});

it('reads the pages of a brand concurrently with the brand, and returns null for an unknown brand', async () => {
  const gateway = await openGateway();

  const { data } = await gateway.ask(
    `{ brand(brandId: "brand_harbour") { name pages(first: 2) { nodes { brand { brandId } } } }
       none: brand(brandId: "none") { pages { totalCount } } }`,
  );

  const node = { brand: { brandId: 'brand_harbour' } };
  expect(data['brand'].pages.nodes).toEqual([node, node]);
  expect(data['none']).toBeNull();
  expect(gateway.restCalls.toSorted()).toEqual([
    'GET /v0/brands/brand_harbour',
    'GET /v0/brands/brand_harbour/pages?limit=2',
    'GET /v0/brands/none/pages?limit=20',
  ]);
});

it('calls for the brand of a page only when more than its id is selected', async () => {
  const gateway = await openGateway();
  const page = 'page(pageId: "page_northwind")';

  await gateway.ask(`{ ${page} { brand { id brandId } } }`);
  expect(gateway.restCalls).toHaveLength(1);

  const { data } = await gateway.ask(`{ ${page} { brand { name } } }`);
  expect(data['page'].brand.name).toBe('Harbour');
  expect(gateway.restCalls).toHaveLength(2);
});

it('changes a brand with one call, and reports an empty name without any', async () => {
  const gateway = await openGateway({ fresh: true });
  const { data } = await gateway.ask('{ brand(brandId: "brand_harbour") { id } }');
  const update = (fields: string) =>
    gateway.ask(`mutation { updateBrand(input: { id: "${data['brand'].id}", ${fields} }) {
      brand { name status } userErrors { code field } } }`);

  const { data: retired } = await update('status: retired');
  expect(retired['updateBrand'].brand).toEqual({ name: 'Harbour', status: 'retired' });
  expect(gateway.restCalls).toEqual(['PATCH /v0/brands/brand_harbour']);

  const { data: unnamed } = await update('name: ""');
  expect(unnamed['updateBrand'].userErrors).toEqual([{ code: 'BLANK', field: ['name'] }]);
  expect(gateway.restCalls).toEqual([]);
});
