/** Traces: nothing of OpenTelemetry is loaded where no collector is named. */
import type { ExportOptions, TracerOptions } from './tracer.ts';

interface TracesSettings
  extends Omit<ExportOptions, 'url'>, Pick<TracerOptions, 'sampler' | 'ratio'> {
  readonly endpoint: URL | undefined;
  readonly tracesEndpoint: URL | undefined;
  readonly isDisabled: boolean;
  readonly exporter: 'otlp' | 'none';
}

export async function openTraces(
  settings: TracesSettings,
  of: Pick<TracerOptions, 'backend' | 'version' | 'logger'>,
) {
  const { endpoint, tracesEndpoint, isDisabled, exporter, sampler, ratio, ...rest } = settings;
  const url = tracesEndpoint ?? (endpoint && below(endpoint));
  if (isDisabled || exporter === 'none' || !url) return undefined;
  const { openTracer } = await import('./tracer.ts');
  return openTracer({ ...of, sampler, ratio, exporting: { ...rest, url: url.href } });
}

/** The place of traces below the endpoint of all signals. Source: OpenTelemetry, "OTLP Exporter Configuration". */
function below(endpoint: URL): URL {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url;
}
