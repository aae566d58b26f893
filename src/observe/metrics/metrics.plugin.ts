/** Counts and times operations by their kind and outcome. */
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';
import type { Metrics } from './metrics.ts';
import { outcomeOf } from '../outcome.ts';

export const useMetrics = (metrics: Metrics): GatewayPlugin => ({
  onAnswered({ status }, { record }) {
    const durationMs = performance.now() - record.startedAt;
    metrics.request(record, outcomeOf(record, status), durationMs);
  },
});
