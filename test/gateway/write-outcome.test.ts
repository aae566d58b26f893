/** What callers learn about a write that was applied, whatever fails before or after it. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import type { GatewayPlugin } from '../../src/gateway/yoga/gateway-plugin.ts';
import { routes } from '../../src/v0/routes.ts';
import { openSocket } from '../live/support.ts';
import { ok, reset, status } from '../support/faults.ts';
import { openGateway, type InProcessOptions } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';
import { sampleOf } from '../support/world.ts';

const open = (options: InProcessOptions = {}) => openGateway({ ...options, backend: 'faulty' });

const ENTRIES = 'POST /v0/topics/t/entries';
const TOPIC = 'GET /v0/topics/t';
const AUDIENCE = '/v0/pages/p/audiences/a';
const audienceId = formatNodeId('Audience', ['p', 'a']);
const ARCHIVE = `archiveAudience(input: { id: "${audienceId}" })`;

const entry = sampleOf(routes.createTopicEntry, { topic_id: 't' });
const topic = sampleOf(routes.getTopic, { topic_id: 't' });
const audience = sampleOf(routes.getAudience, { page_id: 'p', audience_id: 'a' });
const entryId = formatNodeId('TopicEntry', ['t', entry['topicEntryId'] as string]);
const create = (type = '"a"') =>
  `createTopicEntry(input: { topicId: "t", content: { type: ${type}, content: "b" } })`;

/** What errors after the write tell. */
const WRITTEN = {
  writeCarriedOut: true,
  writes: [{ field: 'createTopicEntry', carriedOut: true, id: entryId }],
};

describe('a mutation with a value that is known to be invalid', () => {
  const ID = 'topicEntry { topicEntryId }';

  it.each([
    [
      'a null condition',
      '$no: Boolean = true',
      `${create()} { topicEntry @include(if: $no) { id } }`,
    ],
    [
      'a null condition in a fragment',
      '$no: Boolean = true',
      `${create()} { ... @skip(if: $no) { ${ID} } }`,
    ],
    [
      'a null condition of @defer',
      '$no: Boolean = true',
      `${create()} { ... @defer(if: $no) { ${ID} } }`,
    ],
    [
      'a null argument of @stream',
      '$no: Int = 1',
      `${create()} { topic { entries(first: 1) { nodes @stream(initialCount: $no) { id } } } }`,
    ],
    [
      'a null argument of a later field',
      '$no: String = "x"',
      `${create()} { ${ID} } later: ${create('$no')} { ${ID} }`,
    ],
  ])('is rejected before any call for %s', async (_name, declared, selected) => {
    const query = `mutation (${declared}) { ${selected} }`;
    const asked = { variables: { no: null } };
    const sites = [await open(), await open({ plugins: [{ onExecute() {} }] })];

    for (const site of sites) {
      const plain = await site.ask(query, asked);
      expect([plain.status, plain.codes, plain.data]).toEqual([400, ['BAD_USER_INPUT'], undefined]);
      for (const accept of ['text/event-stream', 'multipart/mixed']) {
        const { text } = await site.ask(query, { ...asked, headers: { accept } });
        expect(text, accept).toContain('BAD_USER_INPUT');
      }
      const socket = await openSocket(site.url);
      socket.subscribe('1', asked.variables, query);
      await until(() => expect(socket.received('next')).toHaveLength(1));
      expect(JSON.stringify(socket.received('next'))).toContain('BAD_USER_INPUT');
      expect(site.upstream.seen).toEqual([]);
    }
  });

  it('is executed if a condition excludes the invalid value', async () => {
    const site = await open();

    const { errors } = await site.ask(
      `mutation ($no: String = "x", $with: Boolean!) { ${create()} { ${ID} } later: ${create('$no')} @include(if: $with) { ${ID} } }`,
      { variables: { no: null, with: false } },
    );

    expect(errors).toEqual([]);
    expect(site.upstream.seen).toHaveLength(1);
  });
});

describe('a failure after an executed write', () => {
  const READ = `mutation { ${create()} { topicEntry { id } topic { title } } }`;

  it('in the selection reports the write in the error of its field', async () => {
    const site = await open();
    site.upstream.on(TOPIC, status(500));

    const { data, errors } = await site.ask(READ);

    expect(data).toEqual({ createTopicEntry: { topicEntry: { id: entryId }, topic: null } });
    expect(errors).toMatchObject([
      {
        path: ['createTopicEntry', 'topic'],
        extensions: { code: 'UPSTREAM_UNAVAILABLE', ...WRITTEN },
      },
    ]);
  });

  it('in a field of the written object reports the write and the id', async () => {
    const site = await open();
    site.upstream.on(ENTRIES, ok({ ...entry, sortOrder: 'first' }));

    const { errors } = await site.ask(`mutation { ${create()} { topicEntry { sortOrder } } }`);

    expect(errors).toMatchObject([
      { extensions: { code: 'UPSTREAM_INVALID_RESPONSE', ...WRITTEN } },
    ]);
  });

  it.each<[string, InProcessOptions, string]>([
    ['too many values', { limits: { maxValues: 40 } }, 'RESULT_TOO_LARGE'],
    ['too much text', { limits: { maxTextBytes: 200 } }, 'RESULT_TOO_LARGE'],
  ])('for a result with %s reports the write, with status 200', async (_name, options, code) => {
    const site = await open(options);
    const entries = Array.from({ length: 50 }, (_, i) => ({ ...entry, topicEntryId: `e${i}` }));
    site.upstream.on(TOPIC, ok({ ...topic, entries }));
    const query = `mutation { ${create()} { topic { entries(first: 50) { nodes { id } } } } }`;

    const replies = [
      await site.ask(query),
      await site.ask(query, { headers: { accept: 'application/json' } }),
    ];

    for (const { status: sent, data, errors } of replies) {
      expect([sent, data]).toEqual([200, null]);
      expect(errors).toMatchObject([{ extensions: { code, ...WRITTEN } }]);
      expect(errors[0].message).toMatch(/Do not send the mutation again/);
      expect(errors[0].message).not.toMatch(/Request fewer/);
    }
    const read = await site.ask('{ topic(topicId: "t") { entries(first: 50) { nodes { id } } } }');
    expect(read.errors[0].message).toMatch(/Request fewer/);
    expect(read.errors[0].extensions).not.toHaveProperty('writeCarriedOut');
  });

  it.each<[string, GatewayPlugin]>([
    [
      'onExecute',
      {
        onExecute: () => ({
          onExecuteDone: () => {
            throw new Error('boom');
          },
        }),
      },
    ],
    [
      'onExecutionResult',
      {
        onExecutionResult: () => {
          throw new Error('boom');
        },
      },
    ],
    [
      'onResultProcess',
      {
        onResultProcess: () => {
          throw new Error('boom');
        },
      },
    ],
  ])('of a plugin in %s reports the write, with status 200', async (_name, plugin) => {
    const site = await open({ plugins: [plugin] });

    const {
      status: sent,
      data,
      errors,
    } = await site.ask(`mutation { ${create()} { topicEntry { id } } }`);

    expect([sent, data]).toEqual([200, null]);
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR', ...WRITTEN } }]);
  });

  it('of another write reports both writes when onError is ABORT', async () => {
    const site = await open();
    site.upstream.on(`DELETE ${AUDIENCE}`, reset());

    const { body } = await site.post(
      {
        query: `mutation { ${create()} { topicEntry { id } } ${ARCHIVE} { audience { id } } }`,
        onError: 'ABORT',
      },
      { 'x-api-key': 'key-of-tenant-a-0123456789' },
    );

    expect(body.data).toBeNull();
    expect(body.errors).toMatchObject([
      {
        path: ['archiveAudience'],
        extensions: {
          code: 'OUTCOME_UNKNOWN',
          writeCarriedOut: true,
          writes: [...WRITTEN.writes, { field: 'archiveAudience', carriedOut: null }],
        },
      },
    ]);
  });

  it('in a later part of the response reports the write in that part', async () => {
    const site = await open();
    site.upstream.on(TOPIC, status(500));

    const { text } = await site.ask(
      `mutation { ${create()} { topicEntry { id } ... @defer { topic { title } } } }`,
      { headers: { accept: 'multipart/mixed; incrementalSpec=v0.2' } },
    );

    const later = text.slice(text.indexOf('"incremental"'));
    expect(later).toContain('"writeCarriedOut":true');
    expect(later).toContain(entryId);
  });

  it('is counted as a partial result', async () => {
    const site = await open({ limits: { maxValues: 10 } });

    await site.ask(`mutation { ${create()} { topic { entries(first: 50) { nodes { id } } } } }`);

    expect(await site.metric('gateway_operations_total', 'outcome="partial"')).toBe(1);
  });
});

describe('a rejected write', () => {
  it('is not reported as executed in any error', async () => {
    const site = await open();
    site.upstream.on(ENTRIES, status(403));

    const { errors } = await site.ask(`mutation { ${create()} { topicEntry { id } } }`);

    expect(errors[0].extensions).toMatchObject({ code: 'FORBIDDEN' });
    expect(errors[0].extensions).not.toHaveProperty('writeCarriedOut');
  });

  it('is not reported as executed in an error about the whole result', async () => {
    const fails: GatewayPlugin = {
      onExecutionResult: () => {
        throw new Error('boom');
      },
    };
    const site = await open({ plugins: [fails] });
    site.upstream.on(ENTRIES, status(403));

    const { errors } = await site.ask(`mutation { ${create()} { topicEntry { id } } }`);

    expect(errors[0].extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR' });
  });
});

describe('a write with a 200 response', () => {
  it.each<[string, object]>([
    ['an error', { code: 'LOCKED', message: 'secret upstream text' }],
    ['no fields', {}],
    ['another audience', { ...audience, audienceId: 'b' }],
    ['the audience of another page', { ...audience, pageId: 'q' }],
  ])('containing %s returns OUTCOME_UNKNOWN', async (_name, body) => {
    const site = await open();
    site.upstream.on(`DELETE ${AUDIENCE}`, ok(body));

    const { data, errors } = await site.ask(
      `mutation { ${ARCHIVE} { audience { id } userErrors { code } } }`,
    );

    expect(data).toEqual({ archiveAudience: null });
    expect(errors).toMatchObject([
      { extensions: { code: 'OUTCOME_UNKNOWN', state: { id: audienceId, found: true } } },
    ]);
  });
});

it('the state after a write with an unknown outcome omits invalid values from the backend', async () => {
  const site = await open();
  site.upstream.on(`DELETE ${AUDIENCE}`, ok({}));
  site.upstream.on(`GET ${AUDIENCE}`, ok({ ...audience, status: 7, archivedAt: 'soon' }));

  const { errors } = await site.ask(
    `mutation { ${ARCHIVE} { audience { id } userErrors { code } } }`,
  );

  expect(errors[0].extensions.state).toEqual({ id: audienceId, found: true });
});

describe('a write with a 204 response', () => {
  const noContent = (response: ServerResponse) => void response.writeHead(204).end();
  const query = `mutation { ${ARCHIVE} { audience { id status } userErrors { code } } }`;

  it('is treated as executed, and its object is read', async () => {
    const site = await open();
    site.upstream.on(`DELETE ${AUDIENCE}`, noContent);
    site.upstream.on(`GET ${AUDIENCE}`, ok({ ...audience, status: 'archived' }));

    const { body } = await site.ask(query);

    expect(body).toEqual({
      data: {
        archiveAudience: { audience: { id: audienceId, status: 'archived' }, userErrors: [] },
      },
    });
    expect(site.upstream.seen.map(({ method }) => method)).toEqual(['DELETE', 'GET']);
  });

  it('returns no object when it is gone, and reports the write when it cannot be read', async () => {
    const site = await open();
    site.upstream.on(`DELETE ${AUDIENCE}`, noContent);
    site.upstream.on(`GET ${AUDIENCE}`, status(404));
    const gone = await site.ask(query);
    site.upstream.on(`GET ${AUDIENCE}`, status(500));

    const unread = await site.ask(query);

    expect(gone.body).toEqual({ data: { archiveAudience: { audience: null, userErrors: [] } } });
    expect(unread.errors).toMatchObject([
      {
        extensions: {
          code: 'UPSTREAM_UNAVAILABLE',
          writeCarriedOut: true,
          writes: [{ id: audienceId }],
        },
      },
    ]);
  });
});
