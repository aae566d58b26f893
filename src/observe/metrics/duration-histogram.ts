/**
 * A histogram of durations that counts in plain numbers until metrics are read.
 *
 * prom-client's own validates and hashes labels at each observation, which costs ten times as much.
 */
import type { Histogram } from 'prom-client';
import type { SpanRef } from '../../rest/call/trace.ts';

export type Labels = Readonly<Record<string, string>>;

/** From a cached answer to the deadline, in seconds. */
export const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  readonly labels: Labels;
  /** By bound; the last is of longer ones. */
  readonly counts: number[];
  /** By bound, the last one of which there is a trace. */
  readonly exemplars: Exemplar[];
  sum: number;
}

/** As prom-client writes it. */
interface Exemplar {
  readonly labelSet: Labels;
  readonly value: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** @typeParam Row what durations are told apart by: a value that is always the same one. */
export class DurationHistogram<Row> {
  /** To be registered. prom-client reads no more of a metric than this; its types want the class. */
  readonly metric: Histogram;
  readonly #name: string;
  readonly #labelsOf: (row: Row) => Labels;
  readonly #series = new Map<Row, Series>();

  constructor(name: string, help: string, labelsOf: (row: Row) => Labels) {
    this.#name = name;
    this.#labelsOf = labelsOf;
    const known = { name, help, type: 'histogram', aggregator: 'sum' };
    const metric = { ...known, get: async () => ({ ...known, values: this.#values() }) };
    this.metric = metric as unknown as Histogram;
  }

  /** @param span leads from the bucket to a trace. */
  observe(row: Row, seconds: number, span?: SpanRef): void {
    let series = this.#series.get(row);
    if (!series) {
      const counts = Array.from({ length: BOUNDS.length + 1 }, () => 0);
      this.#series.set(
        row,
        (series = { labels: this.#labelsOf(row), counts, exemplars: [], sum: 0 }),
      );
    }
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;
    series.counts[bucket]! += 1;
    series.sum += seconds;
    if (!span) return;
    const labelSet = { trace_id: span.traceId, span_id: span.spanId };
    series.exemplars[bucket] = { labelSet, value: seconds, timestamp: Date.now() / 1_000 };
  }

  /** Buckets count what is shorter as well, as Prometheus has it. */
  #values() {
    return [...this.#series.values()].flatMap(({ labels, counts, exemplars, sum }) => {
      let count = 0;
      const buckets = counts.map((own, i) => {
        count += own;
        const le = BOUNDS[i] ?? '+Inf';
        return {
          metricName: `${this.#name}_bucket`,
          labels: { le, ...labels },
          value: count,
          exemplar: exemplars[i],
        };
      });
      return [
        ...buckets,
        { metricName: `${this.#name}_sum`, labels, value: sum },
        { metricName: `${this.#name}_count`, labels, value: count },
      ];
    });
  }
}
