import { describe, expect, it } from 'vitest';
import { RestTimeoutError, RestUnreachableError } from '../../src/rest/client/errors.ts';

const route = { method: 'GET', path: '/v0/topics' };

describe('a failure of a REST call', () => {
  it('costs no stack, and its cause keeps its own', () => {
    const cause = new Error('cause');
    const error = new RestUnreachableError('Backend could not be reached', route, { cause });

    expect(error.stack).not.toContain('\n');
    expect((error.cause as Error).stack).toContain('errors.test.ts');
  });

  it('leaves the stacks of all other errors alone', () => {
    const before = Error.stackTraceLimit;
    new RestTimeoutError('Backend did not answer in time', route);

    expect(Error.stackTraceLimit).toBe(before);
    expect(new Error('after').stack).toContain('errors.test.ts');
  });
});
