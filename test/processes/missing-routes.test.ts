/** Messages of the process about a route that the backend lacks. */
import { expect, it, onTestFinished } from 'vitest';
import { extendedRoutes } from '../../src/v0/routes.ts';
import { startGateway } from '../support/gateway-process.ts';
import { openSmallBackend } from '../support/small-backend.ts';

it('logs a missing route once, marks it in /ready, and responds without it', async () => {
  const world = await openSmallBackend(extendedRoutes);
  const gateway = await startGateway({ UPSTREAM_URL: world.url, LOG_LEVEL: 'warn' });
  onTestFinished(async () => void (await gateway.stop()));
  const before = (await gateway.get('/ready')).body.routes;
  const asked = { apiKey: 'demo' };

  const first = await gateway.ask(
    '{ page(pageId: "p1") { audiences(first: 50) { nodes { audienceId } } } }',
    asked,
  );
  await gateway.ask('{ page(pageId: "p1") { audiences { totalCount } } }', asked);

  expect(first.errors).toEqual([]);
  expect(first.data.page.audiences.nodes).toHaveLength(3);
  const route = 'GET /v0/pages/{page_id}/audiences';
  expect(new Set(Object.values(before as object))).toEqual(new Set(['unknown']));
  const { routes } = (await gateway.get('/ready')).body;
  expect(routes).toEqual({ ...before, [route]: 'missing' });
  const said = () =>
    gateway.output.split('\n').filter((line) => line.includes(`optional route ${route}:`));
  // The log arrives through a pipe, after the response.
  await expect.poll(() => said().length).toBe(1);
  const lines = said();
  expect(lines[0]).toContain('UPSTREAM_ROUTES=auto');
  expect(lines[0]).toContain('docs/assumptions.md#without-optional-routes');
});
