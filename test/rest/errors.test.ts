import { expect, it } from 'vitest';
import { RestError } from '../../src/rest/call/errors.ts';

it('a RestError names its route and keeps its cause', () => {
  const cause = new Error('cause');
  const route = { method: 'GET', path: '/v0/topics' };

  const error = new RestError('unreachable', 'What happened', route, {
    cause,
    retry: 'load',
  });

  expect(error.message).toBe('What happened: GET /v0/topics');
  expect((error.cause as Error).stack).toContain('errors.test.ts');
});

// A stack would cost more than the call that the error replaces.
it('a RestError has no stack frames', () => {
  const error = new RestError('budget', 'No more', { method: 'GET', path: '/v0/topics' });

  expect(error).toBeInstanceOf(Error);
  expect(error.stack).toBe('RestError: No more: GET /v0/topics');
});
