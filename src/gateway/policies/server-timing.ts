/** The header `Server-Timing`: calls and rounds of an operation, for callers who may know what it costs. */
import { serverTiming as header } from '../../plan/explain.ts';
import type { Policy } from '../pipeline.ts';
import { mayExplain, type ExplainAudience } from './budget.ts';

export const serverTiming = (audience: ExplainAudience): Policy => ({
  respond(operation, { headers, parts, events }) {
    const { rest } = operation;
    // The calls of a response in parts, and of events, are not all made yet.
    if (rest && !parts && !events && mayExplain(operation, audience)) {
      headers.push('server-timing', header(rest.journal));
    }
  },
});
