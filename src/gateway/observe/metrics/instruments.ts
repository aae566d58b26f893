/** Counters, gauges and histograms of the gateway in a registry of prom-client. */
import { Counter, Gauge, Histogram, Registry, type Metric } from 'prom-client';
import { BOUNDS, Durations } from './durations.ts';

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
  durations<Row>(
    name: string,
    help: string,
    labelsOf: (row: Row) => Readonly<Record<string, string>>,
  ): Durations<Row> {
    const durations = new Durations(name, help, labelsOf);
    // prom-client calls `get` only; its types require the class.
    this.registry.registerMetric(durations as unknown as Metric);
    return durations;
  }

  histogram(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: BOUNDS, registers: [this.registry] });
  }
}
