/** `deploy/observability/`: rules, alerts, the dashboard and the scrape, compared with what a gateway exports. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { routes } from '../../src/v0/routes.ts';
import { isOperation, linesOf } from '../support/open-log.ts';
import { openFolder } from '../support/folder.ts';
import { openDecoder } from '../support/collector.ts';
import { ok, status } from '../support/faults.ts';
import { openGateway } from '../support/open-gateway.ts';
import { readPages, ROOT } from '../support/pages.ts';
import { FOLDER, hasPrometheus, openPrometheus, promtool } from '../support/prometheus.ts';
import { sampleOf } from '../support/world.ts';

const hasJq = existsSync('/usr/bin/jq');
if (!hasJq)
  process.stderr.write('jq is not installed: the test of docs/observability.md is skipped.\n');

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
}

const rules: readonly Rule[] = parse(read('rules.yaml')).groups.flatMap(
  (group: { rules: readonly Rule[] }) => group.rules,
);
const recorded = rules.flatMap(({ record }) => record ?? []);
const dashboard = JSON.parse(read('dashboard.json'));
interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}
const panels = dashboard.panels.flatMap((panel: Panel) => panel.targets) as Panel['targets'];
const expressions = [...rules, ...panels].map(({ expr }) => expr);

/** Metrics that Prometheus itself has of a target. */
const OF_SCRAPES = ['up'];

/** The metrics of an expression: words before a selector, a range, or an end, without functions and labels. */
const metricsOf = (expression: string): string[] =>
  [
    ...expression
      .replace(/"[^"]*"|\{[^}]*\}|\b(?:by|on|without) \([^)]*\)/g, ' ')
      .matchAll(/[a-z_][\w:]*_[\w:]*(?!\w|\s*\()|\bup\b/g),
  ]
    .map(([name]) => name)
    .filter((name) => !name.startsWith('__'));

/** A gateway with traffic that succeeds, fails, and is rejected. */
async function openBusy(env: Readonly<Record<string, string>> = {}) {
  const gateway = await openGateway({ backend: 'faulty', process: env });
  const topics = {
    items: [{ ...(sampleOf(routes.getTopic) as object), colour: 'red' }],
    nextCursor: null,
  };
  gateway.upstream.on('GET /v0/topics', ok(topics));
  gateway.upstream.on('GET /v0/topics/broken', status(500));
  const ask = async () => {
    await gateway.ask('{ topics(first: 1) { nodes { title } } }');
    await gateway.ask('{ topic(topicId: "broken") { title } }');
    await gateway.ask('{ nonsense }');
  };
  await ask();
  return { gateway, ask };
}

describe.skipIf(!hasJq)('the on-call commands of docs/observability.md', () => {
  it('print their results for a gateway with a failing route', async () => {
    const { gateway } = await openBusy({ LOG_LEVEL: 'debug' });
    const folder = openFolder();
    const log = join(folder, 'gateway.log');
    await expect.poll(() => linesOf(gateway.output).filter(isOperation)).toHaveLength(3);
    writeFileSync(log, gateway.output.replace(/^(?!\{).*$/gm, ''));
    const commands = readPages()
      .find(({ file }) => file === 'docs/observability.md')!
      .blocks.filter(({ info }) => info === 'on-call')
      .map(({ text }) =>
        text
          .replaceAll('http://127.0.0.1:4001', gateway.url)
          .replaceAll('gateway.log', log)
          .replaceAll('durationMs > 20', 'durationMs > 0'),
      );

    const answers = commands.map((command) =>
      execFileSync('bash', ['-euo', 'pipefail', '-c', command], {
        ...{ cwd: ROOT, encoding: 'utf8' },
        env: { ...process.env, GATEWAY_PID: `${gateway.process.pid}` },
      }),
    );

    expect(answers).toEqual([
      expect.stringContaining('"degraded": true'),
      expect.stringContaining('GET /v0/topics/{topic_id}: status 500'),
      expect.stringContaining('route="/v0/topics/{topic_id}"'),
      expect.stringContaining('"slowestCall": "GET /v0/topics/{topic_id}"'),
      expect.stringContaining('code="UPSTREAM_UNAVAILABLE"'),
    ]);
  });
});

describe('every metric', () => {
  it('used by a rule, an alert or a panel is scraped or recorded', async () => {
    const { gateway } = await openBusy();
    const { text } = await gateway.get('/metrics');
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));

    const named = new Set(expressions.flatMap(metricsOf));
    const unknown = [...named].filter(
      (name) => ![...known, ...recorded, ...OF_SCRAPES].includes(name.replace(/_bucket$/, '')),
    );

    expect(unknown).toEqual([]);
    expect(named.size).toBeGreaterThan(15);
  });

  it('that is recorded is read by an alert or a panel', () => {
    const others = rules.filter(({ alert }) => alert).map(({ expr }) => expr);
    const readers = [...others, ...panels.map(({ expr }) => expr)].flatMap(metricsOf);

    expect(recorded.filter((name) => !readers.includes(name))).toEqual([]);
  });
});

describe.skipIf(!hasPrometheus)('promtool', () => {
  it('finds the scrape and its rules valid, and passes the cases of rules.test.yaml', () => {
    promtool('check', 'config', join(FOLDER, 'prometheus.yaml'));
    promtool('test', 'rules', join(FOLDER, 'rules.test.yaml'));
  });

  it('finds every expression of the dashboard valid', () => {
    const folder = openFolder();
    const file = join(folder, 'panels.yaml');
    const asRules = panels.map(({ expr }, i) => ({
      record: `panel${i}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    writeFileSync(file, stringify({ groups: [{ name: 'panels', rules: asRules }] }));

    expect(promtool('check', 'rules', file)).toContain(`${panels.length} rules found`);
  });
});

describe.skipIf(!hasPrometheus)('a Prometheus', () => {
  it('computes each rule, fills each panel, and has exemplars that name exported traces', async () => {
    const decoder = await openDecoder();
    const { gateway, ask } = await openBusy({ OTEL_EXPORTER_OTLP_ENDPOINT: decoder.url });
    const prometheus = await openPrometheus(new URL(gateway.url).host);
    const missing = async (): Promise<string[]> => {
      await ask();
      const found = await Promise.all(recorded.map((name) => prometheus.query(name)));
      return recorded.filter((_name, i) => found[i]!.length === 0);
    };
    const empty = async (): Promise<string[]> => {
      await ask();
      const queries = (dashboard.panels as Panel[]).map(async ({ title, targets }) => {
        const found = await Promise.all(
          targets.map(({ expr }) => prometheus.query(expr.replaceAll('$__rate_interval', '1m'))),
        );
        return found.some((series) => series.length > 0) ? [] : [title];
      });
      return (await Promise.all(queries)).flat();
    };

    await expect.poll(prometheus.isUp, { timeout: 15_000 }).toBe(true);
    await expect.poll(missing, { timeout: 30_000, interval: 500 }).toEqual([]);
    await expect.poll(empty, { timeout: 30_000, interval: 500 }).toEqual([]);
    const [route] = await prometheus.query(
      'method_route:gateway_upstream_failed:ratio_rate5m{route="/v0/topics/{topic_id}"}',
    );
    const exemplars = await prometheus.exemplars('gateway_request_duration_seconds_bucket');
    await gateway.stop();

    expect(Number(route.value[1])).toBe(1);
    const traces = exemplars.flatMap(({ exemplars: all }) =>
      all.map(({ labels }: { labels: Record<string, string> }) => labels['trace_id']),
    );
    expect(traces.length).toBeGreaterThan(0);
    expect(decoder.spans.map(({ traceId }) => traceId)).toEqual(expect.arrayContaining(traces));
  });
});
