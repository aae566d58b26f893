/** A registry of prom-client, and what the gateway puts into it. */
import { Counter, Gauge, Histogram, Registry, type Aggregator } from 'prom-client';
import { BOUNDS, DurationHistogram, type Labels } from './duration-histogram.ts';

interface GaugeOptions<Label extends string> {
  readonly labelNames?: Label[];
  /** How the values of several workers become one. @default sum */
  readonly aggregator?: Aggregator;
  /** Sets the value when metrics are read. */
  readonly collect?: () => void;
}

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

  gauge<Label extends string = never>(
    name: string,
    help: string,
    options: GaugeOptions<Label>,
  ): Gauge<Label> {
    return new Gauge({ name, help, aggregator: 'sum', registers: [this.registry], ...options });
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
