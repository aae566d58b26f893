/** The process of `npm start` as a subgraph, with FEDERATION=on. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openGateway } from '../support/open-gateway.ts';

const QUERY = `{ _service { sdl } _entities(representations: [{ __typename: "Page", pageId: "page_northwind" }]) {
  ... on Page { name } } }`;

it('serves _service and _entities with FEDERATION=on', async () => {
  const gateway = await openGateway({ process: { FEDERATION: 'on' } });

  const { data, errors } = await gateway.ask(QUERY, { apiKey: 'demo' });

  expect(errors).toEqual([]);
  expect(data._service.sdl).toBe(
    readFileSync('src/extensions/federation/schema.subgraph.graphql', 'utf8'),
  );
  expect(data._entities).toEqual([{ name: 'Northwind launch' }]);
});
