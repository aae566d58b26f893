/** Counts and times operations by their kind and outcome. */
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';
import type { Metrics } from './metrics.ts';

export const useMetrics = (metrics: Metrics): GatewayPlugin => ({
  onAnswered({ outcome, durationMs }, { record }) {
    metrics.operations.add(record, outcome, durationMs);
  },
});
