/**
 * Where the product's CPU time goes: its own profile under load, by module and by function.
 *
 * Run by `npm run bench:profile -- q1 q2 [--callers=50] [--changing]`, which builds what it measures. Self time, so that a
 * list's shares add up; `charged to` gives what Node and V8 do to the nearest caller outside them.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'rolldown';
import { z } from 'zod';
import config from '../../rolldown.config.ts';
import { oursAt, ROOT, startServer } from './contestants.ts';
import { makeAnswers } from './data.ts';
import { wrkLoad } from './load.ts';
import { cpuMicros, killAll } from './machine.ts';
import { QUERIES, requestsOf, type BenchQuery } from './queries.ts';
import { sourcesOf, type Place } from './source-places.ts';
import { openNginx } from './upstream.ts';

/** Where the product is built with maps of everything: to tell the packages of one file apart. */
const BUILD = join(ROOT, 'dist/profiled');
const WARM_SECONDS = 3;
const SECONDS = 5;
const LINES = 25;

const Profile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({
        functionName: z.string(),
        url: z.string(),
        lineNumber: z.number(),
        columnNumber: z.number(),
      }),
      children: z.array(z.number()).default([]),
    }),
  ),
  samples: z.array(z.number()),
  /** Microseconds since the sample before. */
  timeDeltas: z.array(z.number()),
});

const folder = mkdtempSync(join(tmpdir(), 'profile-'));
process.on('exit', () => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});

/** The lists that are printed. */
const LISTS = {
  module: 'by module',
  payer: 'charged to',
  file: 'charged to files of the product',
  name: 'by function',
} as const;

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { callers: { type: 'string', default: '1' }, changing: { type: 'boolean' } },
});
const callers = Number(values.callers);
const asked = QUERIES.filter(({ name }) => names.includes(name));
await build({ ...config, plugins: [], cwd: ROOT, output: { ...config.output, dir: BUILD } });
const placeOf = sourcesOf(BUILD);
const upstream = await openNginx(makeAnswers(), folder, values);
for (const query of asked.length > 0 ? asked : QUERIES.slice(1, 3)) await profile(query);
process.exit();

async function profile(query: BenchQuery): Promise<void> {
  const profiles = mkdtempSync(join(folder, 'cpu-'));
  const contestant = oursAt(BUILD, '--cpu-prof', `--cpu-prof-dir=${profiles}`);
  const began = performance.now();
  const server = await startServer(contestant, upstream.url, folder);
  const load = wrkLoad(join(folder, 'requests.txt'));
  const requests = requestsOf(query, callers);
  await load(server.url, requests, WARM_SECONDS);
  const from = performance.now() - began;
  const cpuBefore = cpuMicros(server.child.pid) ?? NaN;
  const { requests: count } = await load(server.url, requests, SECONDS);
  // The last moments are of requests cut off, each with an error of its own.
  const until = performance.now() - began - 500;
  const cpu = ((cpuMicros(server.child.pid) ?? NaN) - cpuBefore) / count;
  await server.child.stop();
  const [file] = readdirSync(profiles);
  if (!file) throw new Error(`No profile was written: ${server.child.output()}`);
  const recorded = Profile.parse(JSON.parse(readFileSync(join(profiles, file), 'utf8')));
  const times = selfTimes(recorded, from * 1_000, until * 1_000);
  print(`${query.name}: ${Math.round(cpu)} µs of CPU a request while profiled`, times);
}

interface Frame {
  readonly name: string;
  readonly module: string;
  /** The nearest module outside Node that caused it. */
  readonly payer: string;
  /** The same by file, for the product's own. */
  readonly file: string | undefined;
  readonly micros: number;
}

function selfTimes(
  { nodes, samples, timeDeltas }: z.infer<typeof Profile>,
  fromMicros: number,
  untilMicros: number,
): Frame[] {
  const frames = new Map(
    nodes.map(({ id, callFrame }) => {
      const { functionName, url, lineNumber, columnNumber } = callFrame;
      return [id, { functionName, ...placeOf(url, lineNumber, columnNumber) }];
    }),
  );
  const callers = new Map(
    nodes.flatMap(({ id, children }) => children.map((child) => [child, id])),
  );
  const payers = new Map(nodes.map(({ id }) => [id, payerOf(id)]));
  const found: Frame[] = [];
  let now = 0;
  samples.forEach((id, i) => {
    now += timeDeltas[i]!;
    // A sample's time is what passed until the next one.
    const micros = timeDeltas[i + 1] ?? 0;
    const { functionName, url, line } = frames.get(id)!;
    if (now < fromMicros || now > untilMicros || functionName === '(idle)') return;
    const place = url && `${url.split('/').slice(-2).join('/')}:${line}`;
    found.push({
      module: moduleOf({ functionName, url }),
      ...payers.get(id)!,
      micros,
      name: `${functionName || 'anonymous'} ${place}`,
    });
  });
  return found;

  function payerOf(start: number): Pick<Frame, 'payer' | 'file'> {
    for (let id: number | undefined = start; id !== undefined; id = callers.get(id)) {
      const frame = frames.get(id)!;
      const payer = moduleOf(frame);
      if (payer === 'node' || payer === 'V8 built-ins' || frame.functionName === '(root)') continue;
      return { payer, file: payer.startsWith('src/') ? frame.url.split('/src/')[1] : undefined };
    }
    return { payer: 'node: sockets, timers, parsing HTTP', file: undefined };
  }
}

/** A package, a layer of the product, a module of Node, or V8's own work. */
function moduleOf({ url, functionName }: Pick<Place, 'url'> & { functionName: string }): string {
  if (url.startsWith('wasm:')) return 'undici';
  if (url === '') return functionName.startsWith('(') ? functionName : 'V8 built-ins';
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  const [, floor] = /\/src\/([^/]+?)(?:\/|\.ts)/.exec(url) ?? [];
  return name ?? (floor ? `src/${floor}` : 'node');
}

function print(title: string, frames: readonly Frame[]): void {
  const total = frames.reduce((sum, { micros }) => sum + micros, 0);
  process.stdout.write(`\n${title}\n`);
  for (const by of ['module', 'payer', 'file', 'name'] as const) {
    const sums = new Map<string, number>();
    for (const { [by]: what, micros } of frames) {
      if (what !== undefined) sums.set(what, (sums.get(what) ?? 0) + micros);
    }
    const largest = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, LINES);
    const lines = largest.map(
      ([what, micros]) => `${((100 * micros) / total).toFixed(1).padStart(6)} %  ${what}`,
    );
    process.stdout.write(`\nself time, ${LISTS[by]}\n${lines.join('\n')}\n`);
  }
}
