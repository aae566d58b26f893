/**
 * `npm run soak`: random queries, writes, faults and callers who leave, for ten minutes, and the
 * gateway's heap and handles all the while. `-- --seconds 60` is shorter. Ends with 1 when they grow.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { offerHelp } from '../../src/app/commands/terminal.ts';
import { NODE_FLAGS, residentMegabytes } from '../bench/machine.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { KEY, startGateway, type Gauge } from '../support/gateway-process.ts';
import { openCallers } from './callers.ts';
import { chaos, queryOf } from './chaos.ts';

const CALLERS = 16;

/** Time without callers before a measurement, in which idle connections close. */
const CALM_MS = 5_000;

offerHelp(`
npm run soak -- [--seconds=600]

Random queries, writes, faults and callers who leave, and the gateway's heap and handles all the while. Ends with 1
where they grow.
`);

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' } } });
const seconds = Number(values.seconds);
/** The number of measurements, and how many of them only warm up. */
const ROUNDS = seconds < 300 ? 6 : 12;
const WARM_UP = ROUNDS / 6 + 1;
const roundMs = Math.max(500, (seconds * 1_000) / ROUNDS - CALM_MS);

const upstream = await openFaultUpstream();
upstream.on('*', chaos(0.05));
const gateway = await startGateway(
  {
    UPSTREAM_URL: upstream.url,
    UPSTREAM_TIMEOUT_MS: '400',
    REQUEST_TIMEOUT_MS: '2500',
    LOG_LEVEL: 'warn',
  },
  { gauged: true, flags: NODE_FLAGS },
);

const counts = { answered: 0, withErrors: 0, refused: 0, left: 0, writes: 0, calls: 0, broken: 0 };
const gauges: Gauge[] = [];
const WRITE =
  'mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) { topic { title } userErrors { code } } }';
let seed = 1;

console.log(`${seconds} s, ${CALLERS} callers, one response in twenty fails\n`);
console.log('  second  requests   left  backend calls   heap MB    rss MB  handles');
const startMs = performance.now();
const first = await gateway.gauge();
let mostBytes = 0;
const watching = setInterval(() => {
  mostBytes = Math.max(mostBytes, residentMegabytes(gateway.process.pid!) * 2 ** 20);
}, 100);
for (let round = 0; round < ROUNDS; round++) {
  const callers = openCallers(gateway);
  await callers.loop(CALLERS, roundMs, async (caller) => {
    const leaves = caller % 4 === 0 ? { signal: AbortSignal.timeout(1 + (seed % 20)) } : {};
    const { source, variables } = nextQuery();
    await turn(callers.ask(source, { variables, ...leaves }));
  });
  await callers.close();
  await sleep(CALM_MS);
  counts.calls += upstream.seen.length;
  // The recorded requests are not needed here, and would fill the memory of this process.
  (upstream.seen as unknown[]).length = 0;
  const gauge = await gateway.gauge();
  gauges.push(gauge);
  const second = Math.round((performance.now() - startMs) / 1_000);
  const row = [second, counts.answered + counts.left, counts.left, counts.calls].map(String);
  const memory = [gauge.heapBytes / 1e6, gauge.rssBytes / 1e6].map((mb) => mb.toFixed(1));
  const widths = [8, 10, 7, 15, 10, 10, 9];
  const cells = [...row, ...memory, String(gauge.handles)];
  console.log(cells.map((cell, i) => cell.padStart(widths[i]!)).join(''));
}

clearInterval(watching);
const last = gauges.at(-1)!;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
console.log(
  `\nResident: ${megabytes(first.rssBytes)} at the start, ${megabytes(mostBytes)} at most, ${megabytes(last.rssBytes)} at the end.` +
    `\nHeap after collection: ${megabytes(first.heapBytes)} at the start, ${megabytes(last.heapBytes)} at the end.`,
);
const faults = await verdict();
await gateway.stop();
await upstream.stop();
console.log(`\n${JSON.stringify(counts)}`);
console.log(faults.length === 0 ? 'Flat.' : faults.join('\n'));
process.exitCode = faults.length === 0 ? 0 : 1;

/** Every eighth is a write; the others are 400 strings, which the gateway has soon cached. */
function nextQuery(): { source: string; variables: unknown } {
  seed += 1;
  if (seed % 8 > 0) return queryOf(seed % 400);
  counts.writes += 1;
  const id = formatNodeId('Topic', [`t${seed % 50}`]);
  return { source: WRITE, variables: { input: { id, title: `t${seed}` } } };
}

async function turn(asked: ReturnType<ReturnType<typeof openCallers>['ask']>): Promise<void> {
  try {
    const { status, body } = await asked;
    counts.answered += 1;
    if (body.errors) counts.withErrors += 1;
    if (status !== 200) counts.refused += 1;
    if (status === 500) counts.broken += 1;
  } catch {
    counts.left += 1;
  }
}

/** The faults that were found, a sentence each. */
async function verdict(): Promise<string[]> {
  const found: string[] = [];
  const warm = gauges.slice(WARM_UP);
  const half = Math.floor(warm.length / 2);
  const [before, after] = [warm.slice(0, half), warm.slice(-half)];
  const least = (some: readonly Gauge[], of: keyof Gauge) =>
    Math.min(...some.map((one) => one[of]));
  const heaps = [least(before, 'heapBytes'), least(after, 'heapBytes')] as const;
  if (heaps[1] > heaps[0] * 1.05 + 1e6) found.push(`The heap grows: ${heaps.join(' → ')} bytes.`);
  const handles = [least(before, 'handles'), least(after, 'handles')] as const;
  if (handles[1] > handles[0] + 2) found.push(`Handles grow: ${handles.join(' → ')}.`);
  if (counts.broken > 0) found.push(`${counts.broken} responses with 500.`);
  const { data, tookMs } = await gateway.ask('{ __typename }');
  if (!data || tookMs > 100) found.push(`{ __typename } took ${Math.round(tookMs)} ms.`);
  // The line at the start names the backend.
  const lines = gateway.output.split('\n').filter((one) => !one.includes('Backend: '));
  const secrets = [KEY, 'secret upstream text', `localhost:${upstream.port}`, 'Unexpected error'];
  for (const secret of secrets) {
    const line = lines.find((one) => one.includes(secret));
    if (line) found.push(`The log says "${secret}": ${line.slice(0, 2_000)}`);
  }
  return found;
}
