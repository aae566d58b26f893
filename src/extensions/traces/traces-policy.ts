/** Records traces of sampled operations; spans are created at their end. */
import type { Extension } from '../../gateway/extension.ts';
import type { Operation } from '../../gateway/operation/operation.ts';
import type { TracedPhase, RecordedTrace } from '../../gateway/operation/trace-context.ts';
import type { Policy } from '../../gateway/policy.ts';
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
          callLog: rest.callLog,
        });
      },
    },
  };
}

/** A begun phase. */
interface OpenPhase {
  readonly name: TracedPhase['name'];
  readonly startMs: number;
}

function policyFor(tracer: OperationTracer): Policy {
  const open = new WeakMap<RecordedTrace, OpenPhase>();
  const traceOf = (operation: Operation): RecordedTrace | null => {
    // Sampled once: repeated decisions would increase the ratio.
    if (operation.trace === undefined) operation.trace = tracer.begin(operation) ?? null;
    return operation.trace;
  };
  const endPhase = (trace: RecordedTrace): void => {
    const phase = open.get(trace);
    open.delete(trace);
    if (phase) trace.phases.push({ ...phase, endMs: performance.now() });
  };
  /** Begins a phase, and ends the previous one. */
  const begin = (operation: Operation, name: TracedPhase['name']): void => {
    const trace = traceOf(operation);
    if (!trace) return;
    endPhase(trace);
    open.set(trace, { name, startMs: performance.now() });
  };
  return {
    onParse(operation) {
      begin(operation, 'parse');
      return undefined;
    },
    onValidate: (operation) => begin(operation, 'validate'),
    onContextBuilding(operation) {
      if (operation.trace) endPhase(operation.trace);
    },
    onExecute(operation, next) {
      begin(operation, 'execute');
      return next(operation);
    },
    onExecuteDone(operation) {
      if (operation.trace) endPhase(operation.trace);
      return undefined;
    },
    onAnswered(operation) {
      // Parameters that could not be read were not parsed.
      const trace = traceOf(operation);
      if (!trace) return;
      endPhase(trace);
      const { errors = [], rest, status, outcome, method, startedMs, transport } = operation;
      tracer.end(trace, {
        operation,
        status,
        errors,
        method,
        startMs: startedMs,
        path: transport.path,
        isFailed: outcome === 'failed',
        callLog: rest?.callLog,
      });
    },
  };
}
