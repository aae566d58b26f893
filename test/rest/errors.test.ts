import { expect, it } from 'vitest';
import { RestUnreachableError } from '../../src/rest/call/errors.ts';

it('a failure of a REST call names its route and keeps its cause', () => {
  const cause = new Error('cause');
  const route = { method: 'GET', path: '/v0/topics' };

  const error = new RestUnreachableError('Backend could not be reached', route, {
    cause,
    retry: 'load',
  });

  expect(error.message).toBe('Backend could not be reached: GET /v0/topics');
  expect((error.cause as Error).stack).toContain('errors.test.ts');
});
