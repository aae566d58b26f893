/** The options of a gateway without settings, for tests that open parts of it. */
import { readConfig } from '../../src/app/config.ts';
import type { RequestScope } from '../../src/rest/client/client.ts';

export const DEFAULTS = readConfig({});

/** Of a request that begins now. */
export const scopeOf = (given: Partial<RequestScope> = {}): RequestScope => ({
  apiKey: 'key',
  requestId: 'test',
  deadlineMs: performance.now() + DEFAULTS.limits.requestTimeoutMs,
  maxCalls: DEFAULTS.limits.maxUpstreamCalls,
  ...given,
});
