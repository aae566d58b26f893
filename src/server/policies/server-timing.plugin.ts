/** The header `Server-Timing`: calls and rounds of an operation, for callers who may know what it costs. */
import { serverTiming } from '../../plan/explain.ts';
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';
import { mayExplain, type ExplainAudience } from './budget.plugin.ts';

export const useServerTiming = (audience: ExplainAudience): GatewayPlugin => ({
  onAnswer({ headers, parts }, context) {
    const { rest } = context.record;
    // The calls of an answer in parts are not all made yet.
    if (rest && !parts && mayExplain(context, audience)) {
      headers.push('server-timing', serverTiming(rest.journal));
    }
  },
});
