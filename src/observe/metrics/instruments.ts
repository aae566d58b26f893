/** A registry of prom-client, and what the gateway puts into it. */
import { Counter, Gauge, Histogram, Registry, type Aggregator } from 'prom-client';
import { BOUNDS, DurationHistogram, type Labels } from './duration-histogram.ts';

export class Instruments {
  readonly registry = new Registry();

  /** @param batches count for it. */
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

  /**
   * @param read called when metrics are read.
   * @param aggregator how the values of several workers become one.
   */
  gauge(name: string, help: string, read: () => number, aggregator: Aggregator = 'sum'): void {
    const gauge: Gauge = new Gauge({
      ...{ name, help, aggregator, registers: [this.registry] },
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
    aggregator: Aggregator = 'sum',
  ): void {
    const gauge: Gauge<Label> = new Gauge({
      ...{ name, help, aggregator, labelNames: [label], registers: [this.registry] },
      collect: () => {
        for (const value of values) gauge.labels(value).set(read(value));
      },
    });
  }

  /** Of durations that are observed too often for prom-client's own. */
  durations<Row>(
    name: string,
    help: string,
    labelsOf: (row: Row) => Labels,
  ): DurationHistogram<Row> {
    const histogram = new DurationHistogram(name, help, labelsOf);
    this.registry.registerMetric(histogram.metric);
    return histogram;
  }

  histogram(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: BOUNDS, registers: [this.registry] });
  }
}
