/** Being replaced by `openGateway({ backend: answer })`. */
import type { RouteSet } from '../../src/v0/routes.ts';
import { openGateway } from './open-gateway.ts';

export { listOf } from './open-gateway.ts';

export async function openStaged(backend: (url: URL) => unknown, routeSet: RouteSet = 'extended') {
  const opened = await openGateway({ backend, rest: { routeSet } });
  return {
    restCalls: opened.restCalls,
    query: async (source: string, variables?: Record<string, unknown>) => {
      const { body } = await opened.ask(source, { variables });
      return body as { data: Record<string, any>; errors?: readonly any[] };
    },
  };
}
