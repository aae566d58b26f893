import { AggregatorRegistry, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { BOUNDS, DurationHistogram } from '../../src/observe/metrics/duration-histogram.ts';

const SECONDS = [0, 0.005, 0.0051, 0.3, 10, 10.1, 60];
const NAME = 'call_seconds';
const HELP = 'How long calls took.';

describe('a histogram of durations', () => {
  it("reads as prom-client's own does, for each series", async () => {
    const theirs = new Registry();
    const histogram = new Histogram({
      ...{ name: NAME, help: HELP, labelNames: ['route'], buckets: BOUNDS, registers: [theirs] },
    });
    const ours = register();
    for (const [i, seconds] of SECONDS.entries()) {
      const route = i % 2 === 0 ? '/pages/{pageId}' : 'a "quoted" route';
      histogram.observe({ route }, seconds);
      ours.durations.observe(route, seconds);
    }
    expect(await ours.registry.metrics()).toBe(await theirs.metrics());
  });

  it('is summed over workers', async () => {
    const workers = [register(), register()];
    for (const { durations } of workers) durations.observe('/pages', 0.02);
    const all = AggregatorRegistry.aggregate(
      await Promise.all(workers.map(({ registry }) => registry.getMetricsAsJSON())),
    );
    const text = await all.metrics();
    expect(text).toContain(`${NAME}_bucket{le="0.01",route="/pages"} 0`);
    expect(text).toContain(`${NAME}_bucket{le="0.025",route="/pages"} 2`);
    expect(text).toContain(`${NAME}_count{route="/pages"} 2`);
  });

  it('says nothing before the first one', async () => {
    expect(await register().registry.metrics()).not.toContain('_count');
  });
});

function register() {
  const registry = new Registry();
  const durations = new DurationHistogram(NAME, HELP, (route: string) => ({ route }));
  registry.registerMetric(durations.metric);
  return { registry, durations };
}
