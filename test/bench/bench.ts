/**
 * The benchmark: the product and its peers, the same queries, the same upstream, one table.
 *
 * Run by `npm run bench`. It ends with 1 when responses differ, whatever the figures say: speed is for the reader of the
 * table to judge. Loopback only, and every process it starts ends with it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { offerHelp } from '../../src/app/commands/terminal.ts';
import { makeAnswers } from './responses.ts';
import {
  findPeers,
  HERE,
  installPackages,
  OURS,
  ROOT,
  variantsOf,
  versionsOf,
} from './contenders.ts';
import { CONNECTIONS, loopLoad, wrkLoad } from './load.ts';
import { has, killAll, leaveServersAlone, runToEnd, useAllCores } from './machine.ts';
import {
  LATENCY_MS,
  LEAD_SECONDS,
  measureDirect,
  measureQuery,
  measureWall,
  type Wall,
} from './measure.ts';
import { QUERIES } from './queries.ts';
import { reportOf, type Row } from './report.ts';
import { findDifferences, startServer } from './servers.ts';
import { openNginx, openSlowUpstream } from './upstream.ts';

const HELP = `npm run bench -- [--quick] [--rounds=3] [--seconds=8] [--callers=1] [--changing]
                 [--queries=q1,q2] [--peers=mercurius,apollo] [--all-cores]
                 [--against=../before/dist] [--with=NAME=value] [--no-build]

Measures the gateway and its peers: the same queries, the same backend, one table. Ends with 1 if responses differ.`;
offerHelp(HELP);

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
process.on('exit', () => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

try {
  process.exitCode = await bench(optionsOrHelp());
} catch (error) {
  say(inspect(error));
  process.exitCode = 1;
}
process.exit();

function optionsOrHelp(): Options {
  try {
    return readOptions();
  } catch (error) {
    say(`${(error as Error).message}\n${HELP}`);
    return process.exit(1);
  }
}

type Options = ReturnType<typeof readOptions>;

/** @throws TypeError or RangeError for what is not in `HELP`. */
function readOptions() {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      // Correctness only: every response compared, one short round.
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      // Length of one server's turn in a round: long enough that opening connections is not the p99.
      seconds: { type: 'string' },
      // How many keys the 50 pages are requested with; only 1 lets a server share calls between requests.
      callers: { type: 'string' },
      // Whether the upstream's responses have other bytes each time, and the same meaning.
      changing: { type: 'boolean', default: false },
      queries: { type: 'string', default: '' },
      // Kinds of servers to measure next to ours; none for all, or for none next to variants.
      peers: { type: 'string', default: '' },
      // Folders of other builds of ours, to be measured as well.
      against: { type: 'string', multiple: true, default: [] },
      // Settings with which ours is measured as well.
      with: { type: 'string', multiple: true, default: [] },
      // Whether servers get every core, with a process for each, and share them with load and upstream.
      'all-cores': { type: 'boolean', default: false },
      build: { type: 'boolean', default: true },
    },
  });
  const { quick } = values;
  const misfit = values.with.find((setting) => !/^[A-Z_]+=/.test(setting));
  if (misfit !== undefined) throw new RangeError(`--with takes NAME=value, got "${misfit}".`);
  const number = (name: 'rounds' | 'seconds' | 'callers', unset: number): number => {
    const value = Number(values[name] ?? unset);
    if (value > 0 && value <= 1_000) return value;
    throw new RangeError(`--${name} takes a number above 0, at most 1000.`);
  };
  const names = (text: string) => text.split(',').filter((name) => name !== '');
  const queries = names(values.queries);
  const options = {
    ...values,
    rounds: number('rounds', quick ? 1 : 3),
    seconds: number('seconds', quick ? 0.3 : 8),
    callers: number('callers', 1),
    queries: QUERIES.filter(({ name }) => queries.length === 0 || queries.includes(name)),
    peers: names(values.peers),
  };
  if (options.queries.length === 0) throw new RangeError('--queries has none of q0 to q6.');
  return options;
}

/** Returns the exit code. */
async function bench(options: Options): Promise<0 | 1> {
  const { quick, rounds, seconds, callers, changing, queries, peers: named } = options;
  const missing = ['wrk', 'nginx'].filter((program) => !has(program));
  if (missing.length > 0 && !quick) {
    say(`${missing.join(' and ')} not found: apt-get update && apt-get install -y wrk nginx`);
    return 1;
  }
  installPackages(HERE);
  if (options.build) runToEnd('npm', ['run', 'build', '--silent'], ROOT);
  if (options['all-cores']) useAllCores();
  leaveServersAlone();
  const variants = variantsOf(options.against, options.with);
  const { peers, absent } =
    variants.length > 0 && named.length === 0
      ? { peers: [], absent: [] }
      : findPeers(named, folder);
  // Other peers are one process, whatever there is to run on.
  const wanted = options['all-cores'] ? peers.filter(({ kind }) => kind === 'tailcall') : peers;
  const contestants = [OURS, ...variants, ...wanted];
  // Twice what is planned.
  const turns = queries.length * contestants.length;
  const planned = quick ? 120 : 2 * (240 + turns * 3 * (rounds + 1) * (LEAD_SECONDS + seconds + 1));
  setTimeout(() => {
    say('Time is up: something does not end.');
    process.exit(1);
  }, planned * 1_000).unref();

  const answers = makeAnswers();
  const fast = await (has('nginx')
    ? openNginx(answers, folder, { changing })
    : openSlowUpstream(answers, 0));
  const slow = await openSlowUpstream(answers, LATENCY_MS);
  const servers = [];
  for (const contestant of contestants) {
    servers.push(await startServer(contestant, fast.url, folder));
  }
  say(`Comparing ${servers.length} servers on ${queries.map(({ name }) => name).join(', ')}`);
  const differences = await findDifferences(servers, queries, callers);
  if (differences.length > 0) {
    say(`Answers differ:\n${differences.join('\n')}`);
    return 1;
  }

  const patience = quick ? { warmUps: 4, samples: 2 } : { warmUps: 1_000, samples: 25 };
  const walls = new Map<string, Wall>();
  const keyOf = (contestant: { name: string }, query: { name: string }) =>
    `${contestant.name} ${query.name}`;
  for (const contestant of contestants) {
    const server = await startServer(contestant, slow.url, folder);
    for (const query of queries) {
      walls.set(keyOf(contestant, query), await measureWall(server, query, slow, patience));
    }
    await server.child.stop();
    say(`Walls of ${contestant.name} measured`);
  }

  // wrk counts in whole seconds, which is too long for a quick run.
  const load = quick ? loopLoad : wrkLoad(join(folder, 'requests.txt'));
  const course = { load, upstream: fast, rounds, seconds, callers, warm: !quick };
  const rows: Row[] = [];
  for (const query of queries) {
    for (const one of await measureQuery(servers, query, course)) {
      rows.push({ ...one, wall: walls.get(keyOf(one.server.contestant, query))! });
    }
    say(`${query.name} measured`);
  }
  const directMs = await measureDirect(slow, '/v0/pages/page_0001', patience.samples);
  const how = quick
    ? 'Quick run: all servers returned equal data. The figures mean nothing.'
    : `Medians of ${rounds} interleaved rounds, ${seconds} s a turn (q4: ${2 * seconds}), ${CONNECTIONS} connections, 50 pages in turn, ${callers === 1 ? 'one key' : `${callers} keys`}${changing ? ', responses that differ each time' : ''}.`;
  const packages = [HERE, ...contestants.flatMap(({ folder: own }) => own ?? [])];
  const faults = rows.flatMap((row) => row.faults);
  const lines = [
    '',
    ...reportOf(rows, directMs),
    how,
    `Peers: ${packages.map(versionsOf).join(', ')}.`,
    ...absent,
    '',
    ...faults.map((fault) => `FAULT ${fault}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return faults.length > 0 ? 1 : 0;
}

/** Progress goes next to the table, so that the table can be kept. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
