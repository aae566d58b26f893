/** Traces: nothing of OpenTelemetry is loaded where no collector is named. */
import type { TracerOptions } from './tracer.ts';

interface TracesSettings extends Pick<TracerOptions, 'sampler' | 'ratio'> {
  readonly endpoint: string | undefined;
  readonly tracesEndpoint: string | undefined;
  readonly isDisabled: boolean;
}

export async function openTraces(
  { endpoint, tracesEndpoint, isDisabled, ...options }: TracesSettings,
  of: Pick<TracerOptions, 'backend' | 'version' | 'logger'>,
) {
  if (isDisabled || !(endpoint ?? tracesEndpoint)) return undefined;
  const { openTracer } = await import('./tracer.ts');
  return openTracer({ ...options, ...of });
}
