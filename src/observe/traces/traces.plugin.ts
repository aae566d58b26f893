/** Records the trace of an operation, where it is one that is recorded; spans are made when it has ended. */
import type { GatewayPlugin, ServerContext } from '../../operation/gateway-plugin.ts';
import type { Phase, RecordedTrace } from '../../operation/request/trace-context.ts';
import type { OperationTracer } from './tracer.ts';

export function useTraces(tracer: OperationTracer | undefined): GatewayPlugin {
  if (!tracer) return {};
  const traceOf = ({ record, caller }: ServerContext): RecordedTrace | null => {
    // Once: to ask again would record a larger share of the traces than the sampler says.
    if (record.trace === undefined) record.trace = tracer.begin(caller) ?? null;
    return record.trace;
  };
  return {
    onParse({ context }) {
      const trace = traceOf(context);
      return trace ? timed(trace, 'parse') : undefined;
    },
    onValidate({ context: { record } }) {
      return record.trace ? timed(record.trace, 'validate') : undefined;
    },
    onExecute({ context: { record } }) {
      return record.trace ? { onExecuteDone: timed(record.trace, 'execute') } : undefined;
    },
    onAnswered({ status, outcome }, context) {
      // What could not be read has not been parsed.
      const trace = traceOf(context);
      if (!trace) return;
      const { record, caller } = context;
      const { errors = [], rest } = record;
      tracer.end(trace, {
        ...{ record, status, errors },
        startMs: record.startedAt,
        method: caller.method,
        path: context.path,
        isFailed: outcome === 'failed',
        journal: rest?.journal,
      });
    },
  };
}

/** Begins a phase. @returns what ends it. */
function timed(trace: RecordedTrace, name: Phase['name']): () => void {
  const startMs = performance.now();
  return () => {
    trace.phases.push({ name, startMs, endMs: performance.now() });
  };
}
