/** The header `Server-Timing`: calls and rounds of an operation, for callers who may know what it costs. */
import { serverTiming } from '../../plan/explain.ts';
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';
import { mayExplain, type ExplainAudience } from './budget.plugin.ts';

export const useServerTiming = (audience: ExplainAudience): GatewayPlugin => ({
  onAnswer({ headers, parts, events }, context) {
    const { rest } = context.record;
    // The calls of an answer in parts, and of events, are not all made yet.
    if (rest && !parts && !events && mayExplain(context, audience)) {
      headers.push('server-timing', serverTiming(rest.journal));
    }
  },
});
