/**
 * A registry's metrics in OpenMetrics, which alone has exemplars.
 *
 * prom-client has one format a registry, and renames counters as it writes this one: so it is given copies.
 */
import { Registry, type Metric, type OpenMetricsContentType } from 'prom-client';

export const OPEN_METRICS = Registry.OPENMETRICS_CONTENT_TYPE;

/** Whether a scraper reads OpenMetrics. */
export const wantsOpenMetrics = (accept: string | null): boolean =>
  accept !== null && /\bapplication\/openmetrics-text\b/i.test(accept);

export function openMetrics(registry: Registry): Promise<string> {
  const copies = new Registry<OpenMetricsContentType>();
  copies.setContentType(OPEN_METRICS);
  // prom-client reads no more of a metric than this; its types want the class, and lack `get` and `type`.
  for (const metric of registry.getMetricsAsArray() as unknown as Known[]) {
    const { name, help, type } = metric;
    // The suffix of counters is not part of their name there.
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
