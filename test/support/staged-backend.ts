/**
 * A backend whose every answer a test stages: for what the embedded one never says.
 *
 * Sockets and the gateway's own code are real; only the answers are made up.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execute, parse, type ExecutionResult } from 'graphql';
import { onTestFinished } from 'vitest';
import { createContext } from '../../src/graph/context.ts';
import { toClientError } from '../../src/graph/errors.ts';
import { createUpstream } from '../../src/rest/client/client.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { schema } from '../../src/schema.ts';
import type { RouteSet } from '../../src/v0/routes.ts';

export interface StagedStack {
  /** What the backend was asked so far: `GET /v0/pages/p1`. */
  readonly restCalls: readonly string[];
  query(
    source: string,
    variables?: Record<string, unknown>,
  ): Promise<{ data: Record<string, any>; errors: ExecutionResult['errors'] }>;
}

/**
 * Opens a stack before such a backend; both close when the test ends.
 *
 * @param answer the JSON for a path and its query; undefined is answered with 404.
 */
export async function openStaged(
  answer: (url: URL) => unknown,
  routeSet: RouteSet = 'extended',
): Promise<StagedStack> {
  const restCalls: string[] = [];
  const server = createServer((request, response) => {
    restCalls.push(`${request.method} ${request.url}`);
    const body = answer(new URL(request.url ?? '', 'http://backend'));
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const dispatcher = new BackendDispatcher(`http://127.0.0.1:${port}`);
  onTestFinished(async () => {
    await dispatcher.close();
    server.close();
  });
  const upstream = createUpstream({
    dispatcher,
    pathPrefix: '',
    routeSet,
    timeoutMs: 3_000,
    maxResponseBytes: 5_000_000,
  });
  return {
    restCalls,
    query: async (source, variableValues) => {
      const rest = upstream({ apiKey: 'staged', requestId: 'staged' });
      const result = await execute({
        schema,
        document: parse(source),
        variableValues,
        contextValue: createContext(rest, { apiKey: 'staged' }),
      });
      return {
        data: result.data as never,
        errors: result.errors?.map((error) => toClientError(error) ?? error),
      };
    },
  };
}

/** Items in the list envelope, a page at a time: a cursor is the place of a page's first item. */
export function listOf(items: readonly unknown[], url: URL) {
  const from = Number(url.searchParams.get('cursor') ?? 0);
  const end = from + Number(url.searchParams.get('limit') ?? 20);
  const hasMore = end < items.length;
  return {
    items: items.slice(from, end),
    hasMore,
    nextCursor: hasMore ? String(end) : null,
    totalCount: items.length,
  };
}
