/** A Prometheus and its promtool, as Debian installs them. Without them, tests are skipped. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { freePort } from './free-port.ts';

const PROGRAM = '/usr/bin/prometheus';
const PROMTOOL = '/usr/bin/promtool';

export const hasPrometheus = existsSync(PROGRAM) && existsSync(PROMTOOL);
if (!hasPrometheus) process.stderr.write('Prometheus is not installed: its tests are skipped.\n');

/** The files that operators get. */
export const FOLDER = fileURLToPath(new URL('../../deploy/observability', import.meta.url));

/** @returns its output; fails the test if it exits with an error. */
export function promtool(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

/** A Prometheus as `deploy/observability/` configures it, except its target and its intervals. Ends with the test. */
export async function openPrometheus(target: string) {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const config = parse(readFileSync(join(FOLDER, 'prometheus.yaml'), 'utf8'));
  config.global = { scrape_interval: '1s', evaluation_interval: '1s' };
  config.rule_files = [join(FOLDER, 'rules.yaml')];
  config.scrape_configs[0].static_configs = [{ targets: [target] }];
  const file = join(folder, 'prometheus.yaml');
  writeFileSync(file, stringify(config));
  const port = await freePort();
  const prometheus = spawn(
    PROGRAM,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
    ],
    { stdio: 'ignore' },
  );
  onTestFinished(async () => {
    const ended = prometheus.exitCode === null ? once(prometheus, 'exit') : undefined;
    prometheus.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const get = async (path: string, query: Readonly<Record<string, string>>): Promise<any> => {
    const url = `http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(query)}`;
    const answer = (await (await fetch(url)).json()) as { status: string; data: unknown };
    expect(answer.status, JSON.stringify(answer)).toBe('success');
    return answer.data;
  };
  return {
    /** The value of each series that an expression has now. */
    query: async (expression: string): Promise<any[]> =>
      (await get('query', { query: expression })).result,
    exemplars: (expression: string): Promise<any[]> => {
      const nowS = Date.now() / 1_000;
      const query = { query: expression, start: `${nowS - 600}`, end: `${nowS + 600}` };
      return get('query_exemplars', query);
    },
    isUp: async (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
  };
}
