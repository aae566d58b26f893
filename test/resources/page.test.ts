/** Creating pages: what becomes of the input, and of what the backend says to it. */
import { execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { createContext } from '../../src/graph/context.ts';
import { toClientError } from '../../src/graph/errors.ts';
import { schema } from '../../src/schema.ts';
import { openRest } from '../rest/open-rest.ts';
import { status, type Behaviour } from '../support/faults.ts';
import { openHouse } from '../support/open-house.ts';

const CREATE = `mutation ($footerLinks: [FooterLinkGroupInput!]) {
  createPage(input: { brandId: "b", name: "n", pageContext: "c", actions: [], actionCardWidgets: [],
    scripts: [], footerLinks: $footerLinks }) {
    page { footerLinks { groupId title links { linkId } } } userErrors { field message } } }`;

const refusing =
  (field: string): Behaviour =>
  (response) => {
    response.writeHead(422, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 'invalid', details: { field } }));
  };

async function create(answer: Behaviour) {
  const { backend, client } = await openRest();
  backend.on('POST /v0/pages', answer);
  const { data, errors } = await execute({
    schema,
    document: parse(CREATE),
    contextValue: createContext(client(), { apiKey: 'key' }),
  });
  return {
    userErrors: (data?.['createPage'] as Record<string, unknown> | null)?.['userErrors'],
    codes: errors?.map((error) => toClientError(error)?.extensions['code']),
  };
}

it('keeps every text of the input, empty ones too', async () => {
  const house = await openHouse({ fresh: true });
  const footerLinks = [{ groupId: '', title: '', links: [{ linkId: '', text: 't', url: 'u' }] }];

  const { data } = await house.query(CREATE, { footerLinks });

  expect(data['createPage'].page.footerLinks).toEqual([
    { groupId: '', title: '', links: [{ linkId: '' }] },
  ]);
});

it.each([
  ['footerLinks.0.id', ['footerLinks', '0', 'groupId']],
  ['footerLinks.0.links.2.id', ['footerLinks', '0', 'links', '2', 'linkId']],
  ['metadata.title', ['metadata', 'title']],
])('names what the backend refuses as the input does: %s', async (field, shown) => {
  const { userErrors } = await create(refusing(field));

  expect(userErrors).toEqual([
    { field: shown, message: `The backend does not accept "${shown.join('.')}".` },
  ]);
});

it('repeats no words of the backend', async () => {
  const { userErrors } = await create(refusing('the secret of 10.0.0.1'));

  expect(userErrors).toEqual([{ field: null, message: 'The backend does not accept this input.' }]);
});

it('is an error, and no refusal of the input, where the backend has no pages', async () => {
  const { codes } = await create(status(404));

  expect(codes).toEqual(['NOT_FOUND']);
});
