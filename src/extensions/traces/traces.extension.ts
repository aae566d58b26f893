/** Traces by OpenTelemetry, with the SDK's settings of the collector. */
import type { Extension, Open, OptionsOf } from '../../gateway/extension.ts';
import { StateKey, type Operation } from '../../gateway/operation/operation.ts';
import type { Policy } from '../../gateway/policy.ts';
import { openTracer, type OperationTracer, type RecordedTrace } from './tracer.ts';
import type { settings } from './traces.settings.ts';

export const open: Open<OptionsOf<typeof settings>> = async (options, host) => {
  const { logger, version } = host;
  const { origin: backend } = await host.backend();
  const tracer = openTracer({ ...options, backend, version, logger });
  return { ...traces(tracer), close: () => tracer.close() };
};

/** Trace of an operation; null if it is not recorded. */
const TRACE = new StateKey<RecordedTrace | null>();

export function traces(tracer: OperationTracer): Extension {
  const traceOf = (operation: Operation): RecordedTrace | null => {
    const known = TRACE.get(operation);
    // Sampled once: repeated decisions would increase the ratio.
    if (known !== undefined) return known;
    const trace = tracer.begin(operation) ?? null;
    TRACE.set(operation, trace);
    operation.trace = trace ?? undefined;
    return trace;
  };
  const policy: Policy = {
    onParse(operation) {
      traceOf(operation);
      return undefined;
    },
    onAnswered(operation, { status, outcome }) {
      // Parameters that could not be read were not parsed.
      const trace = traceOf(operation);
      if (!trace) return;
      const { errors, phases, rest } = operation;
      const isFailed = outcome === 'failed';
      const callLog = rest?.callLog;
      tracer.end(trace, { operation, status, errors, isFailed, phases, callLog });
    },
  };
  return {
    around: { traces: policy },
    events: {
      begin: ({ trace }) => (trace ? tracer.beginEvent(trace) : undefined),
      end: (operation, trace, { result, rest }) => {
        const { errors = [], data } = result;
        tracer.end(trace as RecordedTrace, {
          operation,
          errors,
          isFailed: data == null && errors.length > 0,
          phases: [],
          callLog: rest.callLog,
        });
      },
    },
  };
}
