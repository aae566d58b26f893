/** The header `Server-Timing`: calls and rounds of an operation, for callers who may see costs. */
import { serverTiming as header } from '../../plan/explain.ts';
import type { Policy } from '../policy.ts';
import { mayExplain, type ExplainAudience } from './budget.ts';

export const serverTiming = (audience: ExplainAudience): Policy => ({
  onAnswer(operation, { headers, parts, events }) {
    const { rest } = operation;
    // Not for parts and events, whose calls are not complete yet.
    if (rest && !parts && !events && mayExplain(operation, audience)) {
      headers.push('server-timing', header(rest.callLog));
    }
  },
});
