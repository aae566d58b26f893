/** Three issues with two comments each, on a port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export class BackendDatabaseError extends Error {}

interface Options {
  readonly host?: string;
  readonly port?: number;
  readonly onFailure?: (failure: object) => void;
}

const issues = [1, 2, 3].map((i) => ({
  issueId: `issue_${i}`,
  title: `Issue ${i}`,
  createdAt: '2026-03-01T09:30:00.000Z',
}));

const listed = (items: readonly object[]) => ({
  ...{ items, hasMore: false, nextCursor: null, totalCount: items.length },
});

function answerOf(path: string): object | undefined {
  const [, id, comments] = /^\/v1\/issues(?:\/([^/]+)(\/comments)?)?$/.exec(path) ?? [];
  if (id === undefined) return listed(issues);
  const issue = issues.find(({ issueId }) => issueId === id);
  if (!issue || !comments) return issue;
  return listed([1, 2].map((i) => ({ commentId: `${id}_${i}`, text: `Comment ${i}` })));
}

export async function openBackend({ host = '127.0.0.1', port = 0 }: Options) {
  const server = createServer(({ url = '' }, response) => {
    const answer = answerOf(new URL(url, 'http://backend').pathname);
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { code: 'NOT_FOUND' }));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const opened = (server.address() as AddressInfo).port; // it listens on a port
  return {
    url: `http://${host}:${opened}`,
    port: opened,
    close: async (_timeoutMs?: number): Promise<boolean> => {
      server.close();
      server.closeAllConnections();
      return true;
    },
  };
}
