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

/** Each mutation with its input type and the object it returns. */
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

/** A user error: its code, its path, and the name of the field that its message starts with. */
const invalid = (code: string, field: string | string[], name: string, limit = '') => ({
  code,
  field: [field].flat(),
  message: expect.stringMatching(new RegExp(`^${name} .*${limit}`)) as string,
});

const FORMS: readonly (readonly [
  keyof typeof WRITES,
  object,
  readonly ReturnType<typeof invalid>[],
])[] = [
  [
    'createPage',
    { ...page, name: '', pageContext: '' },
    [invalid('BLANK', 'name', 'Name'), invalid('BLANK', 'pageContext', 'Page context')],
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
      invalid('BLANK', ['brandId'], 'Brand ID'),
      invalid('BLANK', ['name'], 'Name'),
      invalid('BLANK', ['headerActionId'], 'Header action ID'),
      invalid('BLANK', ['actions', '1', 'actionId'], 'Action ID'),
      invalid('BLANK', ['footerLinks', '0', 'links', '0', 'linkId'], 'Link ID'),
    ],
  ],
  [
    'createAudience',
    { pageId: '', customName: '', actionFormIdOverride: '' },
    [
      invalid('BLANK', ['pageId'], 'Page ID'),
      invalid('BLANK', ['customName'], 'Custom name'),
      invalid('BLANK', ['actionFormIdOverride'], 'Action form ID override'),
    ],
  ],
  [
    'createTopicEntry',
    { topicId: '', content: { type: 't', content: 'c' } },
    [invalid('BLANK', ['topicId'], 'Topic ID')],
  ],
  [
    'createAudience',
    { pageId: IDS.page, customName: '', supplementaryContext: '', actionUrlOverride: '/offer' },
    [
      invalid('INVALID_URL', 'actionUrlOverride', 'Action URL override'),
      invalid('BLANK', 'customName', 'Custom name'),
      invalid('BLANK', 'supplementaryContext', 'Supplementary context'),
    ],
  ],
  [
    'publishAudienceVersion',
    { id: versionId, operationKey: '' },
    [invalid('BLANK', 'operationKey', 'Operation key')],
  ],
  [
    'publishAudienceVersion',
    { id: versionId, operationKey: 'x'.repeat(129) },
    [invalid('TOO_LONG', 'operationKey', 'Operation key', '128')],
  ],
  [
    'updateTopic',
    { id: topicId, title: '', sortOrder: -1 },
    [invalid('BLANK', 'title', 'Title'), invalid('TOO_SMALL', 'sortOrder', 'Sort order', '0')],
  ],
  ...(
    [
      [-1, 'TOO_SMALL', '0'],
      [1.5, 'NOT_AN_INTEGER', ''],
      [1e300, 'TOO_LARGE', '9007199254740991'],
      [2 ** 53, 'TOO_LARGE', '9007199254740991'],
    ] as const
  ).map(
    ([sortOrder, code, limit]) =>
      [
        'createTopicEntry',
        { topicId: IDS.topic, content: { type: 't', content: 'c' }, sortOrder },
        [invalid(code, 'sortOrder', 'Sort order', limit)],
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
    ['a raw id instead of the global one', { id: IDS.topic, title: '' }, 200],
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

  it.each<[Behaviour, code: string, field?: string]>([
    [refusing(422, 'title'), 'VALIDATION_FAILED', 'title'],
    [refusing(400, 'sortOrder'), 'VALIDATION_FAILED', 'sortOrder'],
    [refusing(422), 'VALIDATION_FAILED'],
    [refusing(413), 'VALIDATION_FAILED'],
    [refusing(413, 'title'), 'VALIDATION_FAILED', 'title'],
    [refusing(404, 'topic_id'), 'NOT_FOUND', 'id'],
    [status(409), 'CONFLICT'],
    [refusing(410), 'NOT_FOUND', 'id'],
    [refusing(412), 'CONFLICT'],
    [refusing(423, 'title'), 'CONFLICT', 'title'],
    [html(413), 'VALIDATION_FAILED'],
    [refusing(409, 'title'), 'TAKEN', 'title'],
    // No field of the input.
    [refusing(409, 'status'), 'CONFLICT'],
  ])('is reported in userErrors with a message of the gateway: %#', async (answer, code, field) => {
    const { userErrors, codes } = await update(answer);

    expect(codes).toBeUndefined();
    expect(userErrors).toEqual([
      {
        ...{ code, field: field === undefined ? null : [field] },
        message: expect.not.stringMatching(/secret/i),
      },
    ]);
  });

  it.each([
    ['actions.0.url', ['actions', '0', 'url'], 'URL'],
    ['actions[0].buttonTitle', ['actions', '0', 'buttonTitle'], 'Button title'],
    ['metadata.ogImageAlt', ['metadata', 'ogImageAlt'], 'OG image alt'],
    ['metadata.keywords.2', ['metadata', 'keywords', '2'], 'Keywords'],
    ['footerLinks.0.id', ['footerLinks', '0', 'groupId'], 'Group ID'],
    ['footerLinks.0.links.2.id', ['footerLinks', '0', 'links', '2', 'linkId'], 'Link ID'],
  ])('is reported at its path in the input: %s', async (named, field, name) => {
    const { userErrors } = await write('createPage', 'POST /v0/pages', page, refusing(422, named));

    expect(userErrors).toEqual([invalid('VALIDATION_FAILED', field, name)]);
  });

  it('is reported at the field that has the id of a missing parent', async () => {
    const gateway = await openGateway();

    const { data } = await gateway.ask(mutationOf('createAudience'), {
      variables: {
        input: { pageId: 'nobody' },
      },
    });

    expect(data['createAudience'].userErrors).toMatchObject([
      { code: 'NOT_FOUND', field: ['pageId'] },
    ]);
  });

  it.each(['the secret of 10.0.0.1', 'body.title', 'Title', 'sort_order', 'constructor'])(
    'is reported without the field that the backend names when the input has no such field: %s',
    async (field) => {
      const { userErrors } = await update(refusing(422, field));

      expect(userErrors).toMatchObject([{ code: 'VALIDATION_FAILED', field: null }]);
      expect(JSON.stringify(userErrors)).not.toContain(field);
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
