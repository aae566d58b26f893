/** Counters, gauges and histograms of the gateway in a registry of prom-client. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { SpanRef } from '../../../rest/call/trace.ts';

/** Buckets from a cached response to the deadline, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Instruments {
  readonly registry = new Registry();

  /** @param batches moved to the counter when metrics are read. */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    ...batches: readonly { moveTo(counter: Counter<Label>): void }[]
  ): Counter<Label> {
    const counter: Counter<Label> = new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: () => {
        for (const batch of batches) batch.moveTo(counter);
      },
    });
    return counter;
  }

  /** @param read called when metrics are read. */
  gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      collect: () => gauge.set(read()),
    });
  }

  /** A gauge for each value of a label. */
  gauges<Label extends string, Value extends string>(
    name: string,
    help: string,
    label: Label,
    values: readonly Value[],
    read: (value: Value) => number,
  ): void {
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect: () => {
        for (const value of values) gauge.labels(value).set(read(value));
      },
    });
  }

  /** A histogram of seconds; each bucket has the last trace as its exemplar. */
  durations<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
  ): (labels: Readonly<Record<Label, string>>, seconds: number, span?: SpanRef) => void {
    // Typed with any label, since prom-client restricts exemplars to the histogram's labels.
    const histogram = new Histogram<string>({
      name,
      help,
      labelNames,
      buckets: BOUNDS,
      enableExemplars: true,
      // prom-client rejects exemplars in a registry that can write the text format.
      registers: [],
    });
    this.registry.registerMetric(histogram);
    return (labels, value, span) => {
      const exemplarLabels = span && { trace_id: span.traceId, span_id: span.spanId };
      histogram.observe({ labels, value, ...(exemplarLabels && { exemplarLabels }) });
    };
  }

  histogram(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: BOUNDS, registers: [this.registry] });
  }
}
