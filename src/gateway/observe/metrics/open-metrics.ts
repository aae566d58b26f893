/**
 * Writes a registry's metrics in OpenMetrics, the format with exemplars.
 *
 * A registry of prom-client has one format, and this one renames counters, so it is written from copies.
 */
import { prefers } from '../../operation/negotiation.ts';
import { Registry, type Metric, type OpenMetricsContentType } from 'prom-client';

export const OPEN_METRICS = Registry.OPENMETRICS_CONTENT_TYPE;

/** Whether a scraper accepts OpenMetrics by name, and prefers no other format. */
export const wantsOpenMetrics = (accept: string | null): boolean =>
  accept !== null && prefers(accept, 'application/openmetrics-text', 'text/plain');

export function openMetrics(registry: Registry): Promise<string> {
  const copies = new Registry<OpenMetricsContentType>();
  copies.setContentType(OPEN_METRICS);
  // prom-client reads these properties only; its types require the class, and lack `get` and `type`.
  for (const metric of registry.getMetricsAsArray() as unknown as Known[]) {
    const { name, help, type } = metric;
    // In OpenMetrics the suffix is not part of a counter's name.
    const shown = type === 'counter' ? name.replace(/_total$/, '') : name;
    const get = async () => ({ ...(await metric.get()), name: shown });
    copies.registerMetric({ name: shown, help, type, get } as unknown as Metric);
  }
  return copies.metrics();
}

interface Known {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  get(): Promise<object>;
}
