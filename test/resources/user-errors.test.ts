/** Errors that the user of a form can correct: all of them in `userErrors`, worded by the gateway. */
import { execute, getNamedType, isInterfaceType, isObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../src/graph/context.ts';
import { toClientError } from '../../src/graph/errors.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { schema } from '../../src/app/schema.ts';
import { openRest } from '../rest/open-rest.ts';
import { html, ofProxy, status, type Behaviour } from '../support/faults.ts';
import { IDS } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';
import { planOf } from '../support/plan-of.ts';

const topicId = formatNodeId('Topic', [IDS.topic]);
const versionId = formatNodeId('AudienceVersion', [IDS.page, IDS.audience, IDS.version]);

const page = {
  brandId: 'b',
  name: 'n',
  pageContext: 'c',
  actions: [],
  actionCardWidgets: [],
  scripts: [],
};

/** Each mutation with its input type and the object it answers. */
const WRITES = {
  createPage: ['CreatePageInput', 'page'],
  createAudience: ['CreateAudienceInput', 'audience'],
  publishAudienceVersion: ['PublishAudienceVersionInput', 'audienceVersion'],
  updateTopic: ['UpdateTopicInput', 'topic'],
  createTopicEntry: ['CreateTopicEntryInput', 'topicEntry'],
} as const;

const mutationOf = (name: keyof typeof WRITES) =>
  `mutation ($input: ${WRITES[name][0]}!) {
    ${name}(input: $input) { object: ${WRITES[name][1]} { id } userErrors { code field message } } }`;

/** The code of a broken limit, by the words of its message. */
const CODES: readonly (readonly [code: string, words: string])[] = [
  ['BLANK', 'must not be empty'],
  ['TOO_LONG', 'must have at most'],
  ['TOO_SMALL', 'must be at least'],
  ['TOO_LARGE', 'must be at most'],
  ['NOT_AN_INTEGER', 'must be a whole number'],
  ['INVALID_URL', 'must be a complete URL'],
  ['VALIDATION_FAILED', 'must be valid'],
];

const invalid = (field: string | string[], message: string) => ({
  code: CODES.find(([, words]) => message.includes(words))![0],
  field: [field].flat(),
  message,
});

const FORMS: readonly (readonly [
  keyof typeof WRITES,
  object,
  readonly ReturnType<typeof invalid>[],
])[] = [
  [
    'createPage',
    { ...page, name: '', pageContext: '' },
    [
      invalid('name', 'Name must not be empty.'),
      invalid('pageContext', 'Page context must not be empty.'),
    ],
  ],
  [
    'createPage',
    {
      ...page,
      brandId: '',
      name: '',
      headerActionId: '',
      actions: [{ actionId: 'a' }, { actionId: '', url: '' }],
      footerLinks: [{ groupId: 'g', links: [{ linkId: '' }] }],
    },
    [
      invalid(['brandId'], 'Brand ID must not be empty.'),
      invalid(['name'], 'Name must not be empty.'),
      invalid(['headerActionId'], 'Header action ID must not be empty.'),
      invalid(['actions', '1', 'actionId'], 'Action ID must not be empty.'),
      invalid(['footerLinks', '0', 'links', '0', 'linkId'], 'Link ID must not be empty.'),
    ],
  ],
  [
    'createAudience',
    { pageId: '', customName: '', actionFormIdOverride: '' },
    [
      invalid(['pageId'], 'Page ID must not be empty.'),
      invalid(['customName'], 'Custom name must not be empty.'),
      invalid(['actionFormIdOverride'], 'Action form ID override must not be empty.'),
    ],
  ],
  [
    'createTopicEntry',
    { topicId: '', content: { type: 't', content: 'c' } },
    [invalid(['topicId'], 'Topic ID must not be empty.')],
  ],
  [
    'createAudience',
    { pageId: IDS.page, customName: '', supplementaryContext: '', actionUrlOverride: '/offer' },
    [
      invalid(
        'actionUrlOverride',
        'Action URL override must be a complete URL, such as https://example.com.',
      ),
      invalid('customName', 'Custom name must not be empty.'),
      invalid('supplementaryContext', 'Supplementary context must not be empty.'),
    ],
  ],
  [
    'publishAudienceVersion',
    { id: versionId, operationKey: '' },
    [invalid('operationKey', 'Operation key must not be empty.')],
  ],
  [
    'publishAudienceVersion',
    { id: versionId, operationKey: 'x'.repeat(129) },
    [invalid('operationKey', 'Operation key must have at most 128 characters.')],
  ],
  [
    'updateTopic',
    { id: topicId, title: '', sortOrder: -1 },
    [
      invalid('title', 'Title must not be empty.'),
      invalid('sortOrder', 'Sort order must be at least 0.'),
    ],
  ],
  ...(
    [
      [-1, 'must be at least 0'],
      [1.5, 'must be a whole number'],
      [1e300, 'must be at most 9007199254740991'],
      [2 ** 53, 'must be at most 9007199254740991'],
    ] as const
  ).map(
    ([sortOrder, wish]) =>
      [
        'createTopicEntry',
        { topicId: IDS.topic, content: { type: 't', content: 'c' }, sortOrder },
        [invalid('sortOrder', `Sort order ${wish}.`)],
      ] as const,
  ),
];

describe('an input that breaks a limit', () => {
  it.each(FORMS)(
    'is reported with all its user errors, and neither makes nor plans a call: %s %o',
    async (name, input, userErrors) => {
      const gateway = await openGateway();

      const plan = planOf(mutationOf(name), gateway, { input });
      const { data, errors } = await gateway.ask(mutationOf(name), { variables: { input } });

      expect(errors).toEqual([]);
      expect(data[name]).toMatchObject({ object: null });
      const byField = (list: readonly { field: string[] }[]) =>
        list.toSorted((a, b) => String(a.field).localeCompare(String(b.field)));
      expect(byField(data[name].userErrors)).toEqual(byField(userErrors));
      expect(gateway.restCalls).toEqual([]);
      expect(plan.calls).toEqual({ least: 0, most: 0 });
    },
  );

  it.each(['1.5', '1e300', '-1', '1e999'])(
    'is a user error too when the number is a literal: %s',
    async (sortOrder) => {
      const gateway = await openGateway();

      const { data, errors } = await gateway.ask(
        `mutation { updateTopic(input: { id: "${topicId}", sortOrder: ${sortOrder} }) { userErrors { code field } } }`,
      );

      expect(errors).toEqual([]);
      expect(data.updateTopic.userErrors).toEqual([
        { code: expect.stringMatching(/^(?:NOT_AN_INTEGER|TOO_)/), field: ['sortOrder'] },
      ]);
      expect(gateway.restCalls).toEqual([]);
    },
  );

  it('does not stop the next mutation of the document', async () => {
    const gateway = await openGateway({ fresh: true });
    const write = (alias: string, title: string) =>
      `${alias}: updateTopic(input: { id: "${topicId}", title: "${title}" }) { topic { title } userErrors { field } }`;

    const { data, errors } = await gateway.ask(`mutation { ${write('a', '')} ${write('b', 'B')} }`);

    expect(errors).toEqual([]);
    expect(data).toEqual({
      a: { topic: null, userErrors: [{ field: ['title'] }] },
      b: { topic: { title: 'B' }, userErrors: [] },
    });
    expect(gateway.restCalls).toEqual([`PATCH /v0/topics/${IDS.topic}`]);
  });

  it.each([
    ['an id of another type', { id: formatNodeId('Page', ['p']), title: '' }, 200],
    ['a raw id in place of the global one', { id: IDS.topic, title: '' }, 200],
    ['an empty id', { id: '', title: '' }, 200],
    ['a value of another type', { id: topicId, title: 7 }, 400],
    ['an unknown field', { id: topicId, heading: '' }, 400],
  ])('is a GraphQL error when only a developer can correct it: %s', async (_what, input, code) => {
    const gateway = await openGateway();

    const { errors, status } = await gateway.ask(mutationOf('updateTopic'), {
      variables: { input },
    });

    expect(status).toBe(code);
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    expect(gateway.restCalls).toEqual([]);
  });
});

it('SafeInt is the type of no field argument', () => {
  const fields = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .flatMap((type) => Object.values(type.getFields()));

  const named = fields.flatMap(({ args }) => args.map(({ type }) => getNamedType(type).name));

  expect(named).toContain('UpdateTopicInput');
  expect(named).not.toContain('SafeInt');
});

/** The backend's own error body for a field. */
const refusing =
  (code: number, field?: string): Behaviour =>
  (response) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 'SECRET', message: 'secret', details: { field } }));
  };

async function write(name: keyof typeof WRITES, route: string, input: object, answer: Behaviour) {
  const { backend, client } = await openRest();
  backend.on(route, answer);
  const { data, errors } = await execute({
    schema,
    document: parse(mutationOf(name)),
    variableValues: { input },
    contextValue: createContext(client(), { apiKey: 'key' }),
  });
  const payload = data?.[name] as { userErrors: unknown } | null;
  return {
    userErrors: payload?.userErrors,
    codes: errors?.map((error) => toClientError(error)?.extensions['code']),
  };
}

describe('an input that the backend rejects', () => {
  const update = (answer: Behaviour) =>
    write('updateTopic', `PATCH /v0/topics/${IDS.topic}`, { id: topicId, title: 'x' }, answer);

  it.each([
    [refusing(422, 'title'), invalid('title', 'Title must be valid.')],
    [refusing(400, 'sortOrder'), invalid('sortOrder', 'Sort order must be valid.')],
    [
      refusing(422),
      { code: 'VALIDATION_FAILED', field: null, message: 'Some values are invalid.' },
    ],
    [
      refusing(413),
      { code: 'VALIDATION_FAILED', field: null, message: 'Some values are too long.' },
    ],
    [
      refusing(413, 'title'),
      { code: 'VALIDATION_FAILED', field: ['title'], message: 'Title must be shorter.' },
    ],
    [
      refusing(404, 'topic_id'),
      { code: 'NOT_FOUND', field: ['id'], message: 'The topic does not exist.' },
    ],
    [
      status(409),
      {
        code: 'CONFLICT',
        field: null,
        message: 'The current state of the topic does not allow this.',
      },
    ],
    [refusing(410), { code: 'NOT_FOUND', field: ['id'], message: 'The topic does not exist.' }],
    [
      refusing(412),
      {
        code: 'CONFLICT',
        field: null,
        message: 'The current state of the topic does not allow this.',
      },
    ],
    [
      refusing(423, 'title'),
      {
        code: 'CONFLICT',
        field: ['title'],
        message: 'The current state of the topic does not allow this.',
      },
    ],
    [html(413), { code: 'VALIDATION_FAILED', field: null, message: 'Some values are too long.' }],
    [
      refusing(409, 'title'),
      { code: 'TAKEN', field: ['title'], message: 'Title is already taken.' },
    ],
    [
      refusing(409, 'status'),
      {
        code: 'CONFLICT',
        // No field of the input.
        field: null,
        message: 'The current state of the topic does not allow this.',
      },
    ],
  ])('is reported in userErrors with a message of the gateway: %#', async (answer, userError) => {
    const { userErrors, codes } = await update(answer);

    expect(codes).toBeUndefined();
    expect(userErrors).toEqual([userError]);
  });

  it.each([
    ['actions.0.url', ['actions', '0', 'url'], 'URL must be valid.'],
    ['actions[0].buttonTitle', ['actions', '0', 'buttonTitle'], 'Button title must be valid.'],
    ['metadata.ogImageAlt', ['metadata', 'ogImageAlt'], 'OG image alt must be valid.'],
    ['metadata.keywords.2', ['metadata', 'keywords', '2'], 'Keywords must be valid.'],
    ['footerLinks.0.id', ['footerLinks', '0', 'groupId'], 'Group ID must be valid.'],
    [
      'footerLinks.0.links.2.id',
      ['footerLinks', '0', 'links', '2', 'linkId'],
      'Link ID must be valid.',
    ],
  ])('is reported at its path in the input: %s', async (named, field, message) => {
    const { userErrors } = await write('createPage', 'POST /v0/pages', page, refusing(422, named));

    expect(userErrors).toEqual([{ code: 'VALIDATION_FAILED', field, message }]);
  });

  it('is reported at the field that has the id of a missing parent', async () => {
    const gateway = await openGateway();

    const { data } = await gateway.ask(mutationOf('createAudience'), {
      variables: {
        input: { pageId: 'nobody' },
      },
    });

    expect(data['createAudience'].userErrors).toEqual([
      { code: 'NOT_FOUND', field: ['pageId'], message: 'The page does not exist.' },
    ]);
  });

  it.each(['the secret of 10.0.0.1', 'body.title', 'Title', 'sort_order', 'constructor'])(
    'is reported without the field that the backend names when the input has no such field: %s',
    async (field) => {
      const { userErrors } = await update(refusing(422, field));

      expect(userErrors).toEqual([
        { code: 'VALIDATION_FAILED', field: null, message: 'Some values are invalid.' },
      ]);
    },
  );

  it.each([
    [html(404), 'NOT_FOUND'],
    [html(410), 'NOT_FOUND'],
    [html(409), 'CONFLICT'],
    [html(400), 'VALIDATION_FAILED'],
    [ofProxy(404, 'default backend - 404', 'text/plain'), 'NOT_FOUND'],
    [ofProxy(400, 'Bad Request', 'text/plain'), 'VALIDATION_FAILED'],
    [refusing(415), 'UPSTREAM_INVALID_RESPONSE'],
  ])(
    'is a GraphQL error when a proxy responds in HTML or text, or no value of the input is the cause: %#',
    async (answer, code) => {
      const { userErrors, codes } = await update(answer);

      expect(userErrors).toBeUndefined();
      expect(codes).toEqual([code]);
    },
  );

  it('is a GraphQL error when the backend lacks the route or is unavailable', async () => {
    const missing = await write('createPage', 'POST /v0/pages', page, status(404));
    const failing = await update(status(503));

    expect(missing.codes).toEqual(['NOT_FOUND']);
    expect(failing.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
  });
});
