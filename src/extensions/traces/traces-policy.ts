/** Records traces of sampled operations; spans are created at their end. */
import type { Extension } from '../../gateway/extension.ts';
import type { Operation } from '../../gateway/operation/operation.ts';
import { StateKey } from '../../gateway/operation/state.ts';
import type { Policy } from '../../gateway/policy.ts';
import type { RecordedTrace } from './spans.ts';
import type { OperationTracer } from './tracer.ts';

/** @param tracer undefined if tracing is off. */
export function traces(tracer: OperationTracer | undefined): Extension {
  if (!tracer) return {};
  return {
    around: { traces: policyFor(tracer) },
    events: {
      begin: ({ trace }) => (trace ? tracer.beginEvent(trace) : undefined),
      end: (operation, trace, { startMs, result, rest }) => {
        const { errors = [], data } = result;
        // Begun above.
        tracer.end(trace as RecordedTrace, {
          operation,
          startMs,
          errors,
          method: operation.method,
          isFailed: data == null && errors.length > 0,
          phases: [],
          callLog: rest.callLog,
        });
      },
    },
  };
}

/** Trace of an operation; null if it is not recorded. */
const TRACE = new StateKey<RecordedTrace | null>();

function policyFor(tracer: OperationTracer): Policy {
  const traceOf = (operation: Operation): RecordedTrace | null => {
    const known = TRACE.get(operation);
    // Sampled once: repeated decisions would increase the ratio.
    if (known !== undefined) return known;
    const trace = tracer.begin(operation) ?? null;
    TRACE.set(operation, trace);
    operation.trace = trace ?? undefined;
    return trace;
  };
  return {
    onParse(operation) {
      traceOf(operation);
      return undefined;
    },
    onAnswered(operation) {
      // Parameters that could not be read were not parsed.
      const trace = traceOf(operation);
      if (!trace) return;
      const {
        errors = [],
        phases,
        rest,
        status,
        outcome,
        method,
        startedMs,
        transport,
      } = operation;
      tracer.end(trace, {
        operation,
        status,
        errors,
        method,
        startMs: startedMs,
        path: transport.path,
        isFailed: outcome === 'failed',
        phases,
        callLog: rest?.callLog,
      });
    },
  };
}
