/** The examples of GraphiQL, run over the embedded backend. */
import { beforeAll, expect, it } from 'vitest';
import { EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import {
  EXAMPLES,
  findExampleIds,
  FIRST_EXAMPLE,
  idFinder,
  type Example,
  type ExampleIds,
} from '../../src/explorer/documents/examples.ts';
import { DOCUMENT_ROUTES, openGateway, type InProcessGateway } from '../support/open-gateway.ts';

const KEY = 'demo';

/** Codes of errors that an example shows on purpose. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'Partial errors': ['BAD_USER_INPUT'],
  'Over the call limit': ['QUERY_TOO_EXPENSIVE'],
};

let gateway: InProcessGateway;
let ids: ExampleIds;

beforeAll(async () => {
  gateway = await openGateway();
  ids = await findExampleIds(
    async (query, variables) => (await gateway.ask(query, { variables, apiKey: KEY })).data,
  );
});

it('findExampleIds finds an id of every kind', () => {
  expect(Object.values(ids)).not.toContain(null);
  expect(ids.personIds).toHaveLength(100);
});

it('findExampleIds finds all ids except pageId and versionId when the backend has no page search', async () => {
  const document = await openGateway(DOCUMENT_ROUTES);
  const found = await findExampleIds(
    async (query, variables) => (await document.ask(query, { variables, apiKey: KEY })).data,
  );

  expect(found).toEqual({ ...ids, pageId: null, versionId: null });
});

it('idFinder finds a draft again after the previous one was published', async () => {
  const { ask } = await openGateway();
  const find = idFinder(
    async (query, variables) => (await ask(query, { variables, apiKey: KEY })).data,
    EXAMPLE_PAGE_ID,
  );
  const { document } = EXAMPLES.find(({ title }) => title === 'Publish a version')!;
  const publish = async () => {
    const { versionId } = await find(true);
    const { data } = await ask(document, { variables: { input: { id: versionId } }, apiKey: KEY });
    return data['publishAudienceVersion'].userErrors;
  };

  expect([await publish(), await publish(), await publish()]).toEqual([[], [], []]);
  expect(await find()).toEqual(await find());
});

it('idFinder queries again after the gateway did not respond', async () => {
  let isUp = false;
  const find = idFinder(
    async (query, variables) =>
      isUp ? (await gateway.ask(query, { variables, apiKey: KEY })).data : undefined,
    undefined,
  );
  expect((await find()).topicId).toBeNull();

  isUp = true;

  expect((await find()).topicId).toBe(ids.topicId);
});

it('the first example has pageId as its only variable', () => {
  expect(FIRST_EXAMPLE.variables({ ...ids, pageId: EXAMPLE_PAGE_ID })).toEqual({
    pageId: EXAMPLE_PAGE_ID,
  });
});

it('the examples have different titles', () => {
  expect(new Set(EXAMPLES.map(({ title }) => title)).size).toBe(EXAMPLES.length);
});

const isStreamed = ({ document }: Example) => /^subscription|@defer/m.test(document);

it.each(EXAMPLES.filter(isStreamed).map((example) => [example.title, example] as const))(
  'the streamed example has data in its first results: %s',
  async (_title, { document, variables }) => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: /@defer/.test(document)
          ? 'multipart/mixed;incrementalSpec=v0.2'
          : 'text/event-stream',
        'x-api-key': KEY,
      },
      body: JSON.stringify({ query: document, variables: variables(ids) }),
    });

    let text = '';
    const reader = response.body!.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += new TextDecoder().decode(part.value);
      if (/"data":.*"data":|event: next/s.test(text)) break;
    }
    expect(text).toMatch(/"data":\{"\w+":\{/);
  },
);

const others = EXAMPLES.filter((example) => !isStreamed(example));

it.each(others.map((example) => [example.title, example] as const))(
  'the example runs without errors except those that it demonstrates: %s',
  async (title, { document, variables }) => {
    const { data, codes, text } = await gateway.ask(document, {
      variables: variables(ids),
      apiKey: KEY,
    });

    const allowed = SHOWN[title] ?? [];
    expect(codes.filter((code) => !allowed.includes(code))).toEqual([]);
    if (allowed.length > 0) expect(codes).not.toEqual([]);
    else expect(data).toBeTruthy();
    expect(text).not.toMatch(/"userErrors":\[\{/);
  },
);

it('the example over the call limit is rejected before its first call', async () => {
  const { document, variables } = EXAMPLES.find(({ title }) => /call limit/.test(title))!;
  const callsBefore = gateway.restCalls.length;

  const { errors } = await gateway.ask(document, { variables: variables(ids), apiKey: KEY });

  expect(errors).toMatchObject([{ extensions: { calls: 300, maxCalls: 250, field: 'nodes' } }]);
  expect(gateway.restCalls.slice(callsBefore)).toEqual([]);
});
