/** Traces by OpenTelemetry, with the SDK's settings of the collector. */
import type { Open } from '../../gateway/extension.ts';
import { openTracer, type TracerOptions } from './tracer.ts';
import { traces } from './traces-policy.ts';

export const open: Open<Omit<TracerOptions, 'backend' | 'version' | 'logger'>> = async (
  settings,
  host,
) => {
  const { logger, version } = host;
  const { origin: backend } = await host.backend();
  const tracer = openTracer({ ...settings, backend, version, logger });
  return { ...traces(tracer), close: () => tracer.close() };
};
