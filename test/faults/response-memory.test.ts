/** Callers who make the gateway hold more bytes than it has memory, in a control group smaller than the documented size. */
import { connect } from 'node:net';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { routes } from '../../src/v0/routes.ts';
import { clientOf, POST_JSON } from '../support/client.ts';
import { startInGroup } from '../support/control-group.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { until } from '../support/until.ts';
import { sampleOf, world } from '../support/world.ts';

const LOOKUP = 'query ($id: ID!) { page(pageId: $id) { pageId pageContext } }';
const KEYS = ['key-a', 'key-b', 'key-c'];
const MEGABYTES = 320;

/** A backend whose pages have 1.5 MB of text, except `small`. */
async function open(context: TestContext) {
  const backend = await openFaultUpstream();
  onTestFinished(() => backend.stop());
  const [head, tail] = JSON.stringify({
    ...(sampleOf(routes.getPage) as object),
    pageId: 'ID',
    pageContext: 'x'.repeat(1_500_000),
  })
    .split('ID')
    .map((text) => Buffer.from(text));
  backend.on('*', (response, seen, socket) => {
    const [, id] = /^\/v0\/pages\/(p\d+)$/.exec(seen.target) ?? [];
    if (id === undefined) return world()(response, seen, socket);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': head!.length + id.length + tail!.length,
    });
    response.write(head);
    response.write(id);
    response.end(tail);
  });
  const gateway = await startInGroup(MEGABYTES, { UPSTREAM_URL: backend.url });
  if (!gateway) return context.skip();
  const { ask } = clientOf(gateway.url, 'other');
  for (const apiKey of [...KEYS, 'other']) {
    const { data } = await ask(LOOKUP, { variables: { id: 'small' }, apiKey });
    expect(data.page.pageId).toBe('small');
  }
  const pagesAsked = () => backend.seen.filter(({ target }) => /\/p\d/.test(target)).length;
  return { ...gateway, ask, pagesAsked };
}

/** Opens a connection that sends lookups of pages and reads nothing. */
function sendUnread(url: string, apiKey: string, query: string, count: number, first: number) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const requests = Array.from({ length: count }, (_, i) => {
    const body = JSON.stringify({ query, variables: { id: `p${first + i}` } });
    const headers = { host: 'x', ...POST_JSON, 'x-api-key': apiKey, 'content-length': body.length };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `POST /graphql HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
  });
  socket.write(requests.join(''));
  return socket;
}

const CASES: readonly [what: string, connections: number, lookups: number, query: string][] = [
  ['240 lookups on one connection of each key', 1, 240, LOOKUP],
  ['120 connections of each key, with a lookup each', 120, 1, LOOKUP],
  ['120 connections of each key, with a lookup by a new document each', 120, 1, `${LOOKUP} # new`],
];

it.for(CASES)(
  'a gateway survives %s with unread responses of 1.5 MB and serves another API key',
  { timeout: 120_000 },
  async ([, connections, lookups, query], context) => {
    const gateway = await open(context);

    for (const apiKey of KEYS) {
      for (let i = 0; i < connections; i++) {
        sendUnread(gateway.url, apiKey, query, lookups, i * lookups);
      }
    }
    // Calls may time out while all connections to the backend carry large pages.
    await until(() => gateway.pagesAsked() >= Math.min(30, connections), 60_000);
    for (let served = 0; served < 30 && gateway.process.exitCode === null;) {
      const { data } = await gateway.ask(LOOKUP, { variables: { id: 'small' }, apiKey: 'other' });
      if (data?.page?.pageId === 'small') served += 1;
    }

    expect([gateway.process.exitCode, gateway.process.signalCode]).toEqual([null, null]);
  },
);
