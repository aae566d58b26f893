/** Trusted documents by their ids over the transports of subscriptions, with TRUSTED_DOCUMENTS_ONLY. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import { openFolder } from '../support/folder.ts';
import { startGateway } from '../support/gateway-process.ts';
import { openSocket, WATCH, type Progress } from '../live/support.ts';
import { until } from '../support/until.ts';

const HASH = createHash('sha256').update(WATCH).digest('hex');
const OTHER = WATCH.replace('isFinal', '__typename');
/** Of a published version: one event, and complete. */
const variables = { id: formatNodeId('AudienceVersion', [IDS.page, IDS.audience, IDS.version]) };
const EVENT = {
  data: {
    audienceVersionProgress: {
      isFinal: true,
      audienceVersion: { id: variables.id, status: 'published' },
    },
  },
};

const gateway = await startGateway({
  TRUSTED_DOCUMENTS: openFolder({ 'web-1.json': { [HASH]: WATCH } }),
  TRUSTED_DOCUMENTS_ONLY: 'true',
  LOG_LEVEL: 'warn',
});

const BY_ID: readonly [how: string, params: object][] = [
  ['documentId', { documentId: `sha256:${HASH}` }],
  ['a persisted query', { extensions: { persistedQuery: { version: 1, sha256Hash: HASH } } }],
  ['doc_id', { doc_id: HASH }],
  ['an id and its text', { documentId: `sha256:${HASH}`, query: WATCH }],
];

const REFUSED: readonly [how: string, params: object, code: string][] = [
  ['another text', { query: OTHER }, 'TRUSTED_DOCUMENT_REQUIRED'],
  ['an unknown id', { documentId: `sha256:${'0'.repeat(64)}` }, 'PERSISTED_QUERY_NOT_FOUND'],
];

const headers = { accept: 'text/event-stream', 'x-api-key': EXAMPLE_API_KEY };

const post = (params: object, accept = headers.accept) =>
  fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept, 'content-type': 'application/json' },
    body: JSON.stringify({ ...params, variables }),
  });

describe('a trusted subscription with TRUSTED_DOCUMENTS_ONLY', () => {
  it.each(BY_ID)('is served over server-sent events by %s', async (_, params) => {
    const text = await (await post(params)).text();

    expect(text).toContain(`event: next\ndata: ${JSON.stringify(EVENT)}\n\n`);
    expect(text).toContain('event: complete');
  });

  it('is served over server-sent events to a client that also accepts JSON', async () => {
    const accept = 'application/graphql-response+json, application/json, text/event-stream';

    const text = await (await post({ documentId: `sha256:${HASH}` }, accept)).text();

    expect(text).toContain(JSON.stringify(EVENT));
  });

  it('is served over server-sent events by GET', async () => {
    const search = new URLSearchParams({
      documentId: `sha256:${HASH}`,
      variables: JSON.stringify(variables),
    });
    const text = await (await fetch(`${gateway.url}/graphql?${search}`, { headers })).text();

    expect(text).toContain(JSON.stringify(EVENT));
  });

  it.each(BY_ID)('is served over WebSocket by %s', async (_, params) => {
    const socket = await openSocket(gateway.url);

    // The protocol demands a query; an empty one counts as none.
    socket.send({ id: 'a', type: 'subscribe', payload: { query: '', ...params, variables } });
    await until(() => socket.received('complete').length > 0);

    expect(socket.received('next').map(({ payload }) => payload as Progress)).toEqual([EVENT]);
  });

  it.each(REFUSED)(
    'is the only one served: %s is rejected over both transports',
    async (_, params, code) => {
      expect(await (await post(params)).text()).toContain(code);
      const socket = await openSocket(gateway.url);
      socket.send({ id: 'a', type: 'subscribe', payload: { query: '', ...params, variables } });
      await until(() => socket.received('error').length > 0);

      expect(JSON.stringify(socket.received('error'))).toContain(code);
    },
  );
});
