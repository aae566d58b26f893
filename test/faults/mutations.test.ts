/**
 * T22 and T53 to T56: a write is sent once, and its outcome is reported as far as it is known.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import {
  cut,
  drip,
  hangUp,
  held,
  ok,
  reset,
  silence,
  status,
  text,
  type Behaviour,
} from '../support/faults.ts';
import { sampleOf, world } from '../support/world.ts';
import { openTestbed } from './testbed.ts';
import { until } from '../support/until.ts';

const testbed = await openTestbed();

afterEach(async () => {
  await testbed.upstream.start().catch(() => {}); // where a test has stopped it
  for (const route of [PUBLISH, READ]) testbed.upstream.on(route, world());
  // As `calm` for reads: keeps the failures the smaller part of this route's calls.
  for (let i = 0; i < 5; i++) await publish();
  await testbed.calm();
});

const VERSION = { page_id: 'p', audience_id: 'a', version_id: 'v' };
const VERSION_PATH = '/v0/pages/p/audiences/a/versions/v';
const PUBLISH = `POST ${VERSION_PATH}/publish`;
const READ = `GET ${VERSION_PATH}`;
const versionId = formatNodeId('AudienceVersion', ['p', 'a', 'v']);
const version = sampleOf(routes.getVersion, VERSION);

const publish = (input: Record<string, unknown> = {}) =>
  testbed.ask(
    `mutation ($input: PublishAudienceVersionInput!) {
       publishAudienceVersion(input: $input) { audienceVersion { status } userErrors { code } } }`,
    { variables: { input: { id: versionId, ...input } } },
  );

describe('T53 a write that cannot be sent', () => {
  it('T53 fails with UPSTREAM_UNAVAILABLE, and its object is not reloaded', async () => {
    await testbed.upstream.stop();

    const reply = await publish();

    expect(reply.data).toEqual({ publishAudienceVersion: null });
    expect(reply.codes).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(reply.errors[0].extensions).not.toHaveProperty('state');
    await testbed.holds(reply, { hits: 0 });
  });
});

describe('T54 operation keys', () => {
  it.each(['k', 'x'.repeat(128), 'ключ 🗝 "&%', ' spaces '])(
    'T54 are forwarded unchanged: %j',
    async (operationKey) => {
      const reply = await publish({ operationKey });

      expect(reply.errors).toEqual([]);
      expect(JSON.parse(testbed.upstream.seen.at(-1)!.body)).toEqual({ operationKey });
      await testbed.holds(reply, { hits: 1 });
    },
  );

  it('T54 are omitted when the request contains none', async () => {
    const replies = [await publish(), await publish({ operationKey: null })];

    expect(testbed.upstream.seen.slice(-2).map(({ body }) => body)).toEqual(['{}', '{}']);
    await testbed.holds(replies, { hits: 2 });
  });

  it('T54 are forwarded for both of two writes with the same key', async () => {
    const replies = [
      await publish({ operationKey: 'same' }),
      await publish({ operationKey: 'same' }),
    ];

    expect(replies.flatMap(({ errors }) => errors)).toEqual([]);
    await testbed.holds(replies, { hits: 2 });
  });
});

describe('T55 a write whose response is lost', () => {
  const LOST: readonly [string, Behaviour][] = [
    ['silence', silence()],
    ['a reset before the response', reset()],
    ['a reset in the middle of the response', reset(400)],
    ['a connection closed without a response', hangUp()],
    ['a truncated response', cut(version)],
    ['a response that arrives slowly', drip(50)],
    ['a 502 of a proxy', status(502)],
    ['a 504 of a proxy', status(504, { 'retry-after': '0' })],
    ['a 500 of the backend', status(500, { 'retry-after': '0' })],
    ['a 507', status(507)],
    ['a 303', status(303, { location: VERSION_PATH })],
    ['a response that is not JSON', text('<html>secret upstream text</html>', 'text/html')],
    ['broken JSON', text(JSON.stringify(version).slice(0, -1))],
    ['a list instead of an object', text('[]')],
    ['a response without a body', text('')],
    ['a 206', (response) => void response.writeHead(206).end()],
  ];

  it.each(LOST)('T55 is sent once, and its object is reloaded, after %s', async (_name, fault) => {
    testbed.upstream.on(PUBLISH, fault);
    testbed.upstream.on(
      READ,
      ok({ ...version, status: 'queued', publishedAt: null, cancelledAt: null }),
    );

    const reply = await publish({ operationKey: 'k' });

    expect(reply.data).toEqual({ publishAudienceVersion: null });
    expect(reply.codes).toEqual(['OUTCOME_UNKNOWN']);
    expect(reply.errors[0]).toMatchObject({
      path: ['publishAudienceVersion'],
      extensions: {
        upstream: { method: 'POST', route: routes.publishVersion.path },
        state: {
          id: versionId,
          found: true,
          status: 'queued',
          queuedAt: '2023-11-14T22:13:20.000Z',
          publishedAt: null,
          cancelledAt: null,
        },
      },
    });
    expect([testbed.upstream.hits(PUBLISH), testbed.upstream.hits(READ)]).toEqual([1, 1]);
    await testbed.holds(reply, { hits: 2 });
  });

  it('T55 has found: false when its object is gone and found: null when its object cannot be read', async () => {
    testbed.upstream.on(PUBLISH, reset());
    testbed.upstream.on(READ, status(404), text('nonsense'));

    const [gone, unread] = [await publish(), await publish()];

    expect([...gone.codes, ...unread.codes]).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
    expect(gone.errors[0].extensions.state).toEqual({ id: versionId, found: false });
    expect(unread.errors[0].extensions.state).toEqual({ id: versionId, found: null });
    await testbed.holds([gone, unread], { hits: 4 });
  });

  it('T55 has its object reloaded with a retry, and invalid fields are omitted from the state', async () => {
    testbed.upstream.on(PUBLISH, silence());
    testbed.upstream.on(
      READ,
      status(503),
      ok({ ...version, status: 'hologram', queuedAt: 'later' }),
    );

    const reply = await publish();

    expect(Object.keys(reply.errors[0].extensions.state).sort()).toEqual([
      'cancelledAt',
      'found',
      'id',
      'publishedAt',
    ]);
    await testbed.holds(reply, { hits: 3 });
  });

  it.each([
    [
      'archiveAudience',
      'audience',
      formatNodeId('Audience', ['p', 'a']),
      'DELETE /v0/pages/p/audiences/a',
      ['archivedAt', 'status'],
    ],
    [
      'restorePage',
      'page',
      formatNodeId('Page', ['p']),
      'POST /v0/pages/p/restore',
      ['archivedAt', 'deletedAt', 'status', 'updatedAt'],
    ],
    [
      'updateTopic',
      'topic',
      formatNodeId('Topic', ['t']),
      'PATCH /v0/topics/t',
      ['sortOrder', 'title', 'updatedAt'],
    ],
  ])('T55 returns the state of its object for %s', async (mutation, field, id, route, tells) => {
    testbed.upstream.on(route, reset());
    const more = mutation === 'updateTopic' ? ', title: "new"' : '';

    const reply = await testbed.ask(
      `mutation { ${mutation}(input: { id: "${id}"${more} }) { ${field} { id } } }`,
    );

    expect(reply.codes).toEqual(['OUTCOME_UNKNOWN']);
    expect(reply.errors[0].extensions.state).toMatchObject({ id, found: true });
    expect(Object.keys(reply.errors[0].extensions.state).sort()).toEqual(
      ['found', 'id', ...tells].sort(),
    );
    await testbed.holds(reply, { hits: 2 });
    testbed.upstream.on(route, world());
  });

  it('T55 returns no state, and reloads nothing, when it would have created the object', async () => {
    testbed.upstream.on('POST /v0/topics/t/entries', reset());

    const reply = await testbed.ask(
      'mutation { createTopicEntry(input: { topicId: "t", content: { type: "a", content: "b" } }) { topicEntry { id } } }',
    );

    expect(reply.codes).toEqual(['OUTCOME_UNKNOWN']);
    expect(reply.errors[0].extensions).not.toHaveProperty('state');
    await testbed.holds(reply, { hits: 1 });
  });
});

describe('T56 several writes in one document', () => {
  const write = (alias: string) =>
    `${alias}: updateTopic(input: { id: "${formatNodeId('Topic', [alias])}", title: "${alias}" }) { topic { topicId } userErrors { code } }`;

  it('T56 are sent in sequence, and a failed write does not stop the next one', async () => {
    testbed.upstream.on('PATCH /v0/topics/b', status(500));

    const reply = await testbed.ask(`mutation { ${['a', 'b', 'c'].map(write).join(' ')} }`);

    expect(reply.status).toBe(200);
    expect(reply.data).toEqual({
      a: { topic: { topicId: 'a' }, userErrors: [] },
      b: null,
      c: { topic: { topicId: 'c' }, userErrors: [] },
    });
    expect(reply.errors[0]).toMatchObject({
      path: ['b'],
      extensions: { code: 'OUTCOME_UNKNOWN' },
    });
    const sent = testbed.upstream.seen
      .filter(({ target }) => target.includes('/topics/'))
      .slice(-4);
    expect(sent.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'GET', 'PATCH']);
    expect(sent.map(({ body }) => body && JSON.parse(body).title)).toEqual(['a', 'b', '', 'c']);
    await testbed.holds(reply, { hits: 4 });
  });

  it('T56 report 409, 404 and 422 responses as userErrors, not as errors', async () => {
    testbed.upstream.on('PATCH /v0/topics/a', status(409));
    testbed.upstream.on('PATCH /v0/topics/b', status(404));
    testbed.upstream.on('PATCH /v0/topics/c', status(422));

    const reply = await testbed.ask(`mutation { ${['a', 'b', 'c'].map(write).join(' ')} }`);

    expect(reply.errors).toEqual([]);
    expect(Object.values<any>(reply.data).map(({ userErrors }) => userErrors[0].code)).toEqual([
      'CONFLICT',
      'NOT_FOUND',
      'VALIDATION_FAILED',
    ]);
    await testbed.holds(reply, { hits: 3 });
  });

  it('T22 are all sent when the client disconnects during the first write', async () => {
    for (const id of ['a', 'b', 'c']) testbed.upstream.on(`PATCH /v0/topics/${id}`, world());
    const late = held(world());
    testbed.upstream.on('PATCH /v0/topics/a', late.behaviour);
    const leaving = new AbortController();

    const gone = testbed.ask(`mutation { ${['a', 'b', 'c'].map(write).join(' ')} }`, {
      signal: leaving.signal,
    });
    await until(() => expect(testbed.hits).toBe(1));
    leaving.abort();
    await expect(gone).rejects.toThrow();
    late.release();

    await until(() => expect(testbed.hits).toBe(3));
    await testbed.holds([], { hits: 3 });
  });

  it('T22 are all sent when the client disconnects, even with more values than a cancelled query may have', async () => {
    // Some 50 values each; a cancelled query ends after 1,000.
    const ids = Array.from({ length: 29 }, (_, i) => `a${i}`);
    const archive = (id: string): string =>
      `${id}: archiveAudience(input: { id: "${formatNodeId('Audience', ['p', id])}" }) { audience { ...A } }`;
    const route = (id: string) => `DELETE /v0/pages/p/audiences/${id}` as const;
    const late = held(world());
    for (const id of ids) testbed.upstream.on(route(id), world());
    testbed.upstream.on(route('a0'), late.behaviour);
    const leaving = new AbortController();

    const gone = testbed.ask(
      `mutation { ${ids.map(archive).join(' ')} }
       fragment A on Audience { id computedName effectiveName status latestVersion { ...V } publishedVersion { ...V } }
       fragment V on AudienceVersion { id pageId audienceId versionId versionNumber status createdAt publishedAt
         queuedAt archivedAt becameDraftAt obsoleteAt cancelledAt isNewPageAgent }`,
      { signal: leaving.signal },
    );
    await until(() => expect(testbed.hits).toBe(1));
    leaving.abort();
    await expect(gone).rejects.toThrow();
    late.release();

    await until(() => expect(testbed.hits).toBe(ids.length));
    await testbed.holds([], { hits: ids.length });
  });
});
