/**
 * The benchmark: the product and its peers, the same queries, the same upstream, one table.
 *
 * Run by `npm run bench`; see options.ts. It ends with 1 when answers differ, whatever the figures
 * say: speed is for the reader of the table to judge. Loopback only, and every process it starts
 * ends
 * with it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { findBigPeers } from './big-peers.ts';
import {
  findPeers,
  HERE,
  OURS,
  ROOT,
  startServer,
  variantsOf,
  type Contestant,
  type Server,
} from './contestants.ts';
import { findDifferences } from './correctness.ts';
import { makeAnswers } from './data.ts';
import { CONNECTIONS, loopLoad, openLoopLoad, wrkLoad } from './load.ts';
import { measureLookAhead } from './look-ahead.ts';
import { has, killAll, leaveServersAlone, runToEnd, useAllCores } from './machine.ts';
import { measureQuery, type Measured } from './measure.ts';
import { HELP, OptionError, readOptions, type Options } from './options.ts';
import { installPackages, versionsOf } from './packages.ts';
import { QUERIES, SCREEN } from './queries.ts';
import { goalsOf, machineLine, remarksOf, tableOf, type Findings, type Row } from './report.ts';
import {
  coldStartLine,
  loadLine,
  measureColdStart,
  measureTail,
  tailTable,
  type ColdStart,
} from './tail.ts';
import { openNginx, openSlowUpstream } from './upstream.ts';
import { LATENCY_MS, measureDirect, measureWall, type Wall } from './wall.ts';

/** What the tail is measured of: one call and a nested screen, beside those that are nearest. */
const TAIL_QUERIES = new Set(['q1', SCREEN]);
const TAIL_SERVERS = new Set<Contestant['kind']>(['ours', 'mercurius', 'tailcall']);

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
process.on('exit', () => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

try {
  process.exitCode = await bench(readOptions(process.argv.slice(2)));
} catch (error) {
  say(error instanceof OptionError ? `${error.message}\n${HELP}` : inspect(error));
  process.exitCode = 1;
}
process.exit();

/** Answers the exit code. */
async function bench(options: Options): Promise<0 | 1> {
  const missing = ['wrk', 'nginx'].filter((program) => !has(program));
  if (missing.length > 0 && !options.quick) {
    say(`${missing.join(' and ')} not found: apt-get update && apt-get install -y wrk nginx`);
    return 1;
  }
  installPackages(HERE);
  if (options.build) runToEnd('npm', ['run', 'build', '--silent'], ROOT);
  const queries = QUERIES.filter(
    ({ name }) => options.queries.length === 0 || options.queries.includes(name),
  );
  if (queries.length === 0) throw new OptionError('--queries has none of q0 to q5.');
  const small = findPeers(options.tailcall);
  const big = findBigPeers(options.peers, folder);
  if (options.allCores) useAllCores();
  leaveServersAlone();
  const variants = variantsOf(options.against, options.settings);
  const peers = [...small.peers, ...big.peers].filter(
    ({ kind }) =>
      (options.peers.length === 0 ? variants.length === 0 : options.peers.includes(kind)) &&
      // The others are one process, whatever there is to run on.
      (!options.allCores || kind === 'tailcall'),
  );
  const wanted = [...variants, ...peers];
  setTimeout(
    () => {
      say('Time is up: something does not end.');
      process.exit(1);
    },
    timeFor(options, queries.length * (wanted.length + 1)),
  ).unref();

  const answers = makeAnswers();
  const fast = await (has('nginx')
    ? openNginx(answers, folder, options)
    : openSlowUpstream(answers, 0));
  const slow = await openSlowUpstream(answers, LATENCY_MS);
  const servers: Server[] = [];
  const missed: string[] = [];
  for (const contestant of [OURS, ...wanted]) {
    try {
      servers.push(await startServer(contestant, fast.url, folder));
    } catch (error) {
      // A program made for other machines; whatever else does not start is a fault.
      if (contestant.kind !== 'tailcall') throw error;
      missed.push(inspect(error));
    }
  }
  const contestants = servers.map(({ contestant }) => contestant);

  say(`Comparing ${contestants.length} servers on ${queries.map(({ name }) => name).join(', ')}`);
  const differences = await findDifferences(servers, queries, options.callers);
  if (differences.length > 0) {
    say(`Answers differ:\n${differences.join('\n')}`);
    return 1;
  }

  const patience = options.quick ? { warmUps: 4, samples: 2 } : { warmUps: 1_000, samples: 25 };
  const walls = new Map<string, Wall>();
  for (const contestant of contestants) {
    const server = await startServer(contestant, slow.url, folder);
    for (const query of queries) {
      walls.set(
        `${contestant.name} ${query.name}`,
        await measureWall(server, query, slow, patience),
      );
    }
    await server.child.stop();
    say(`Walls of ${contestant.name} measured`);
  }

  // wrk counts in whole seconds, which is too long for a quick run.
  const requests = join(folder, 'requests.txt');
  const load = options.quick ? loopLoad : wrkLoad(requests);
  const course = { ...options, load, upstream: fast, warm: !options.quick };
  const rows: Row[] = [];
  for (const query of queries) {
    const measured = await measureQuery(servers, query, course);
    rows.push(...measured.map((one) => ({ ...one, wall: wallOf(one) })));
    say(`${query.name} measured`);
  }
  const screen = queries.find(({ name }) => name === SCREEN);
  const findings: Findings = {
    rows,
    servers,
    lookAhead: screen && (await measureLookAhead(slow, screen, patience.samples)),
    directMs: await measureDirect(slow, '/v0/pages/page_0001', patience.samples),
  };
  print(options, findings, [...small.absent, ...big.absent, ...missed]);
  if (!options.quick) {
    const ofTail = rows.filter(
      ({ query, server }) =>
        TAIL_QUERIES.has(query.name) && TAIL_SERVERS.has(server.contestant.kind),
    );
    const loadAt = openLoopLoad(requests);
    const tails = await measureTail(ofTail, { ...options, loadAt });
    const starts: ColdStart[] = [];
    for (const contestant of contestants) {
      if (!screen || !TAIL_SERVERS.has(contestant.kind)) continue;
      starts.push(await measureColdStart(contestant, screen, fast.url, folder));
    }
    const lines = [tailTable(tails), '', ...(screen ? [coldStartLine(starts)] : []), loadLine()];
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }
  return rows.some(({ faults }) => faults.length > 0) ? 1 : 0;

  function wallOf({ server, query }: Measured): Wall {
    return walls.get(`${server.contestant.name} ${query.name}`)!;
  }
}

function print(options: Options, findings: Findings, absent: readonly string[]): void {
  const { rounds, seconds, callers, changing } = options;
  const how = options.quick
    ? 'A quick run: every server answered every query alike; the figures say nothing.'
    : `Medians of ${rounds} interleaved rounds, ${seconds} s a turn (q4: ${2 * seconds}), ${CONNECTIONS} connections, 50 pages in turn, ${callers === 1 ? 'one key' : `${callers} keys`}${changing ? ', answers of other bytes each time' : ''}.`;
  const packages = [HERE, ...findings.servers.flatMap(({ contestant }) => contestant.folder ?? [])];
  const lines = [
    '',
    tableOf(findings.rows),
    '',
    ...queryLines(findings.rows),
    '',
    `${how} ${machineLine()}`,
    ...remarksOf(findings),
    `Peers: ${packages.map(versionsOf).join(', ')}.`,
    ...absent,
    '',
    ...(options.quick ? [] : goalsOf(findings, callers === 1 && !changing)),
    ...findings.rows.flatMap(({ faults }) => faults.map((fault) => `FAULT ${fault}`)),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function queryLines(rows: readonly Row[]): string[] {
  return [...new Set(rows.map(({ query }) => query))].map(({ name, what }) => `${name}: ${what}.`);
}

/** How long the whole may take, in milliseconds: twice what is planned. */
function timeFor({ rounds, seconds, quick }: Options, turns: number): number {
  return quick ? 120_000 : 2 * (240 + turns * 3 * (rounds + 1) * (seconds + 1)) * 1_000;
}

/** Progress goes beside the table, so that the table can be kept. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
