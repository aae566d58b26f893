/**
 * What a request and a REST call cost, by part: CPU time and bytes allocated, ours and Mercurius'.
 *
 * Run by `npm run bench:profile -- q1 q2 [--callers=50] [--changing] [--functions]`, which builds what it measures. CPU
 * time a request is what the process took under load while nothing was profiled; its parts are shares of samples of
 * the first thread, taken in a second turn of load. Bytes are samples of allocations in a third, and promoted bytes, which
 * full collections are for, of a longer fourth: they include what the last scavenge left. What Node and V8 do is charged to
 * the nearest caller outside them. Shares of one run are what to read: a switch for each mechanism was tried on
 * 2026-11-28, and processes of the same build differed by a fifth.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'rolldown';
import { z } from 'zod';
import config from '../../rolldown.config.ts';
import { offerHelp } from '../../src/app/commands/terminal.ts';
import { makeAnswers } from './responses.ts';
import { HERE, oursAt, PEERS, ROOT, type Contestant } from './contenders.ts';
import { wrkLoad } from './load.ts';
import { cpuMicros, killAll } from './machine.ts';
import { QUERIES, requestsOf, type BenchQuery } from './queries.ts';
import { startServer } from './servers.ts';
import { openNginx } from './upstream.ts';

/** Where the product is built with maps of everything: to tell the packages of one file apart. */
const BUILD = join(ROOT, 'dist/profiled');
const WARM_SECONDS = 3;
const SECONDS = { cpu: 4, heap: 4, promoted: 16 };
const FUNCTIONS = 30;

/** Packages whose work is charged to the mechanism that uses them. */
const CHARGED_TO_CALLERS = /\/node_modules\/(lru-cache|prom-client|dataloader|graphql-scalars)\//;

/** Mechanisms of ours and packages, by file; the first that fits. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/\/node_modules\/(graphql-yoga|@envelop|@whatwg-node)\//, "Yoga's and Envelop's phases"],
  [/\/node_modules\/undici\//, 'undici'],
  [/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//, '$1'],
  [/\/src\/gateway\/observe\/metrics\//, 'metrics'],
  [/\/src\/gateway\/observe\//, 'logs and readiness'],
  [/\/src\/gateway\/policies\/([\w-]+)/, 'policy: $1'],
  [/\/src\/(app|gateway\/(http|transports))\//, 'HTTP in'],
  [/\/src\/gateway\/operation\/(response|negotiation|framing|result)/, 'response'],
  [/\/src\/(gateway\/documents|plan)\//, 'document and plan'],
  [/\/src\/extensions\/([\w-]+)/, 'extension: $1'],
  [/\/src\/gateway\//, 'operation'],
  [/\/src\/execution\//, 'executor'],
  [/\/src\/graph\/entity\/(prefetching|requirement|selection)\b/, 'prefetching'],
  [/\/src\/graph\/loading\//, 'loaders and lists'],
  [/\/src\/(graph|resources)\//, 'entities, connections and resolvers'],
  [/\/src\/rest\/decode\/decode-cache\b/, 'call: decode cache'],
  [/\/src\/rest\/decode\/contract-check\b/, 'call: contract check'],
  [/\/src\/rest\/decode\//, 'call: text, JSON and ids of a response'],
  [/\/src\/rest\/(policies\/circuit-breaker|call\/circuit)\b/, 'call: circuit breaker'],
  [/\/src\/rest\/policies\/([\w-]+)/, 'call: $1'],
  [/\/src\/rest\/(call\/timeouts|call\/request-deadline)\b/, 'call: timeouts and deadline'],
  [/\/src\/rest\/call\/call-log\b/, 'call: call log'],
  [/\/src\/rest\/(flight|attempt|upstream)\b/, 'call: read and attempt'],
  [/\/src\/rest\//, 'call: client and keys'],
  [/\/dist\/profiled\/|\/src\//, 'the rest of ours'],
];

const CallFrame = z.object({
  functionName: z.string(),
  url: z.string(),
  lineNumber: z.number(),
  columnNumber: z.number(),
});

const CpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: CallFrame,
      children: z.array(z.number()).default([]),
    }),
  ),
  samples: z.array(z.number()),
  /** Microseconds since the sample before. */
  timeDeltas: z.array(z.number()),
});

const HeapNode = z.object({
  callFrame: CallFrame,
  /** Bytes. */
  selfSize: z.number(),
  get children() {
    return z.array(HeapNode);
  },
});
const HeapProfile = z.object({ head: HeapNode });

/** What was seen in a function, without what it called. */
interface Sample {
  /** Of a request's cost: files of ours by what they do, packages of a peer by name. */
  readonly part: string;
  readonly name: string;
  /** Microseconds, or bytes. */
  readonly amount: number;
}

offerHelp(`
npm run bench:profile -- [q1 …] [--callers=50] [--changing] [--functions]

Builds the gateway, and says by part what CPU time and how many bytes a request takes, ours and Mercurius', and how many
of the bytes are promoted to V8's old generation. Settings of
the environment apply: READ_AHEAD=on npm run bench:profile -- q1
`);

const folder = mkdtempSync(join(tmpdir(), 'profile-'));
process.on('exit', () => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: {
    callers: { type: 'string', default: '1' },
    changing: { type: 'boolean' },
    functions: { type: 'boolean' },
  },
});
const callers = Number(values.callers);
const chosen = QUERIES.filter(({ name }) => names.includes(name));
await build({ ...config, plugins: [], cwd: ROOT, output: { ...config.output, dir: BUILD } });
const placeOf = sourcesOf(BUILD);
const upstream = await openNginx(makeAnswers(), folder, values);
const mercurius = PEERS.find(({ kind }) => kind === 'mercurius')!;
for (const query of chosen.length > 0 ? chosen : QUERIES.slice(1, 3)) {
  for (const contestant of [oursAt(BUILD), mercurius]) await profile(contestant, query);
}
process.exit();

async function profile(contestant: Contestant, query: BenchQuery): Promise<void> {
  const { micros, samples: cpu } = await sampled(contestant, query, 'cpu');
  const { samples: heap, requests } = await sampled(contestant, query, 'heap');
  const promoted = await sampled(contestant, query, 'promoted');
  const cpuParts = sumsOf(cpu, ({ part }) => part);
  const heapParts = sumsOf(heap, ({ part }) => part);
  const promotedParts = sumsOf(promoted.samples, ({ part }) => part);
  const all = total(cpuParts);
  const rows = [...new Set([...cpuParts.keys(), ...heapParts.keys()])]
    .map((part) => ({
      part,
      micros: (micros * (cpuParts.get(part) ?? 0)) / all,
      bytes: (heapParts.get(part) ?? 0) / requests,
      promoted: (promotedParts.get(part) ?? 0) / promoted.requests,
    }))
    .toSorted((a, b) => b.micros - a.micros);
  const a = (amount: number, digits: number): string =>
    query.calls === 0 ? '–' : (amount / query.calls).toFixed(digits);
  const whole = {
    part: 'all',
    micros,
    bytes: total(heapParts) / requests,
    promoted: total(promotedParts) / promoted.requests,
  };
  const lines = [whole, ...rows].map(
    (row) =>
      `| ${row.part} | ${row.micros.toFixed(1)} | ${a(row.micros, 1)} | ${Math.round(row.bytes)} | ${a(row.bytes, 0)} | ${Math.round(row.promoted)} |`,
  );
  process.stdout.write(
    [
      `\n${query.name}, ${contestant.name}`,
      '| part | CPU µs a request | a call | bytes a request | a call | promoted bytes a request |',
      '| --- | --: | --: | --: | --: | --: |',
      ...lines,
      '',
    ].join('\n'),
  );
  if (!values.functions) return;
  printFunctions('CPU', cpu);
  printFunctions('bytes', heap);
  printFunctions('promoted bytes', promoted.samples);
}

/** A server under load, profiled. @returns CPU µs a request before it was, and how many it served while it was. */
async function sampled(
  contestant: Contestant,
  query: BenchQuery,
  what: keyof typeof SECONDS,
): Promise<{ micros: number; requests: number; samples: readonly Sample[] }> {
  const profiles = mkdtempSync(join(folder, `${what}-`));
  const preloaded: Contestant = {
    ...contestant,
    command: (place) => {
      const [program, ...args] = contestant.command(place);
      return [program, '--import', join(HERE, 'profiler.mjs'), ...args];
    },
  };
  Object.assign(process.env, { PROFILE: what, PROFILE_FOLDER: profiles });
  const server = await startServer(preloaded, upstream.url, folder);
  const load = wrkLoad(join(folder, 'requests.txt'));
  const requests = requestsOf(query, callers);
  await load(server.url, requests, WARM_SECONDS);
  const before = cpuMicros(server.child.pid);
  const { requests: measured } = await load(server.url, requests, SECONDS.cpu);
  const micros = (cpuMicros(server.child.pid) - before) / measured;
  process.kill(server.child.pid, 'SIGWINCH');
  const { requests: count } = await load(server.url, requests, SECONDS[what]);
  process.kill(server.child.pid, 'SIGWINCH');
  const file = join(profiles, 'profile.json');
  for (let i = 0; i < 100 && !existsSync(file); i++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await server.child.stop();
  if (!existsSync(file)) throw new Error(`No profile was written: ${server.child.output()}`);
  const written: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const samples =
    what === 'cpu' ? ofCpu(CpuProfile.parse(written)) : ofHeap(HeapProfile.parse(written));
  return { micros, requests: count, samples };
}

function ofCpu({ nodes, samples, timeDeltas }: z.infer<typeof CpuProfile>): Sample[] {
  const parents = new Map(
    nodes.flatMap(({ id, children }) => children.map((child) => [child, id])),
  );
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const amounts = new Map<number, number>();
  // A sample's time is what passed until the next one.
  samples.forEach((id, i) => amounts.set(id, (amounts.get(id) ?? 0) + (timeDeltas[i + 1] ?? 0)));
  return [...amounts].flatMap(([id, amount]) => {
    const frame = frames.get(id)!;
    if (frame.functionName === '(idle)') return [];
    return [{ part: payerOf(stackOf(id)), name: nameOf(frame), amount }];
  });

  function* stackOf(start: number): Generator<Frame> {
    for (let id: number | undefined = start; id !== undefined; id = parents.get(id)) {
      yield frames.get(id)!;
    }
  }
}

function ofHeap({ head }: z.infer<typeof HeapProfile>): Sample[] {
  const found: Sample[] = [];
  const visit = (node: z.infer<typeof HeapNode>, stack: readonly Frame[]): void => {
    const below = [node.callFrame, ...stack];
    if (node.selfSize > 0) {
      found.push({ part: payerOf(below), name: nameOf(node.callFrame), amount: node.selfSize });
    }
    for (const child of node.children) visit(child, below);
  };
  visit(head, []);
  return found;
}

type Frame = z.infer<typeof CallFrame>;

/** The part of the nearest caller outside Node, V8 and packages that are charged to their callers. */
function payerOf(stack: Iterable<Frame>): string {
  for (const { functionName, url, lineNumber, columnNumber } of stack) {
    if (functionName === '(garbage collector)') return 'garbage collection';
    if (url.startsWith('wasm:')) return 'undici';
    const file = url && placeOf(url, lineNumber, columnNumber).url;
    const part = file && !CHARGED_TO_CALLERS.test(file) && partOf(file);
    if (part) return part;
  }
  return 'Node: sockets, timers, HTTP';
}

/** @param url of a source file. Undefined for what is Node's own. */
function partOf(url: string): string | undefined {
  for (const [pattern, part] of PARTS) {
    const found = pattern.exec(url);
    if (found) return part.replace('$1', found[1] ?? '');
  }
  return url.startsWith('file:') ? 'resolvers' : undefined;
}

/** Places in the built files of a folder → places in their sources; the first line is 1. Others stay as they are. */
function sourcesOf(folder: string) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.map'));
  const maps = new Map(
    files.map((file) => {
      const map = JSON.parse(readFileSync(join(folder, file), 'utf8')) as SourceMapPayload;
      return [pathToFileURL(join(folder, file.replace(/\.map$/, ''))).href, new SourceMap(map)];
    }),
  );
  return (url: string, lineNumber: number, columnNumber: number) => {
    const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
    return entry && 'originalSource' in entry
      ? { url: new URL(entry.originalSource, url).href, line: entry.originalLine + 1 }
      : { url, line: lineNumber + 1 };
  };
}

function nameOf({ functionName, url, lineNumber, columnNumber }: Frame): string {
  const place = url === '' ? { url: '', line: 0 } : placeOf(url, lineNumber, columnNumber);
  const file = place.url && `${place.url.split('/').slice(-2).join('/')}:${place.line}`;
  return `${functionName || 'anonymous'} ${file}`;
}

function sumsOf(samples: readonly Sample[], by: (sample: Sample) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const sample of samples) sums.set(by(sample), (sums.get(by(sample)) ?? 0) + sample.amount);
  return sums;
}

function total(sums: ReadonlyMap<string, number>): number {
  return [...sums.values()].reduce((sum, amount) => sum + amount, 0);
}

function printFunctions(what: string, samples: readonly Sample[]): void {
  const sums = sumsOf(samples, ({ name }) => name);
  const all = total(sums);
  const lines = [...sums]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, FUNCTIONS)
    .map(([name, amount]) => `${((100 * amount) / all).toFixed(1).padStart(6)} %  ${name}`);
  process.stdout.write(`\n${what} by function\n${lines.join('\n')}\n`);
}
