/**
 * Who is measured: the product as it is started, and its peers doing the same.
 *
 * Every Node process gets the flags of `npm start`, so that what differs is the server alone.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask } from './ask.ts';
import { type Child, freePort, isPinning, NODE_FLAGS, start } from './machine.ts';
import { QUERIES, requestsOf } from './queries.ts';

export interface Contestant {
  /** What the table calls it. */
  readonly name: string;
  /** What the goals call it. */
  readonly kind:
    'ours' | 'variant' | 'mercurius' | 'apollo' | 'yoga' | 'tailcall' | 'grafast' | 'hive';
  /** Of packages that no other needs. */
  readonly folder?: string;
  /** Environment variables of its own. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly command: (
    port: number,
    upstreamUrl: string,
    folder: string,
  ) => readonly [string, ...string[]];
}

export interface Server {
  readonly contestant: Contestant;
  readonly url: string;
  readonly child: Child;
  /** From its start to its first answer, in milliseconds. */
  readonly readyMs: number;
}

export const HERE = fileURLToPath(new URL('.', import.meta.url));
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** How long a server may take to answer for the first time, in milliseconds. */
const READY_WITHIN_MS = 20_000;

export const OURS = oursAt(join(ROOT, 'dist'));

/** @param flags of Node's, beside those of `npm start`. */
export function oursAt(folder: string, ...flags: readonly string[]): Contestant {
  return node('ours', 'ours', join(folder, 'main.js'), flags);
}

/**
 * Ours again: other builds, and this one with settings, all of them together.
 *
 * @param settings such as `LOG_LEVEL=debug`.
 */
export function variantsOf(
  builds: readonly string[],
  settings: readonly string[],
): readonly Contestant[] {
  const variant = (name: string, folder: string): Contestant => ({
    ...oursAt(folder),
    kind: 'variant',
    name: `ours, ${name}`,
  });
  const pairs = settings.map((text): [string, string] => [
    text.slice(0, text.indexOf('=')),
    text.slice(text.indexOf('=') + 1),
  ]);
  const names = pairs.map(([name]) => name).join(', ');
  return [
    ...builds.map((folder) => variant(`of ${folder}`, resolve(folder))),
    ...(pairs.length > 0
      ? [{ ...variant(`with ${names}`, join(ROOT, 'dist')), settings: Object.fromEntries(pairs) }]
      : []),
  ];
}

const NODE_PEERS: readonly Contestant[] = [
  node('Mercurius + JIT + DataLoader + undici', 'mercurius', join(HERE, 'peers/mercurius.mjs')),
  node('Apollo Server 5 + datasource-rest', 'apollo', join(HERE, 'peers/apollo.mjs')),
  node('Yoga + Pothos, as documented', 'yoga', join(HERE, 'peers/yoga.mjs')),
];

/**
 * The peers there are; `absent` says of each that is not, why.
 *
 * @param tailcall a program to use instead of npm's.
 */
export function findPeers(tailcall: string | undefined): {
  readonly peers: readonly Contestant[];
  readonly absent: readonly string[];
} {
  const commands = tailcall ? [[tailcall] as const] : tailcallCommands();
  const complaints: string[] = [];
  for (const command of commands) {
    const [program, ...args] = command;
    const { status, stdout, stderr, error } = spawnSync(program, [...args, '--version'], {
      encoding: 'utf8',
      timeout: 10_000,
      env: QUIET_TAILCALL,
    });
    if (status === 0) return { peers: [...NODE_PEERS, tailcallOf(command, stdout)], absent: [] };
    complaints.push(
      error?.message ?? stderr.trim().split('\n').at(-1)!.split(': ').slice(1).join(': '),
    );
  }
  return { peers: NODE_PEERS, absent: [`Tailcall does not run here: ${complaints.join('; ')}`] };
}

/** Starts a server on core 0, or on all cores with a worker for each, and waits for its first answer. */
export async function startServer(
  contestant: Contestant,
  upstreamUrl: string,
  folder: string,
): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = start(0, contestant.command(port, upstreamUrl, folder), {
    ...QUIET_TAILCALL,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    PORT: String(port),
    UPSTREAM_URL: upstreamUrl,
    WORKERS: isPinning() ? '1' : 'auto',
    ...contestant.settings,
  });
  let dead = false;
  void child.ended.then((code) => {
    dead = true;
    if (child.stopping()) return;
    process.stderr.write(`${contestant.name} ended by itself with ${code}:\n${lastOf(child)}\n`);
  });
  const [nothing] = requestsOf(QUERIES[0]!, 1);
  for (;;) {
    const answered = await ask(url, nothing!).catch(() => undefined);
    if (answered?.data) return { contestant, url, child, readyMs: performance.now() - began };
    if (dead || performance.now() - began > READY_WITHIN_MS) {
      await child.stop();
      throw new Error(`${contestant.name} did not start:\n${lastOf(child)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const lastOf = (child: Child): string => child.output().slice(-2_000);

function node(
  name: string,
  kind: Contestant['kind'],
  file: string,
  flags: readonly string[] = [],
): Contestant {
  return { name, kind, command: () => [process.execPath, ...NODE_FLAGS, ...flags, file] };
}

type Command = readonly [string, ...string[]];

/** The newest first: as it is, by the C library that `fetch-glibc` has unpacked, and one for older libraries. */
function tailcallCommands(): readonly Command[] {
  const programOf = (version: string) =>
    join(HERE, `node_modules/tailcall-${version}/bin/tailcall`);
  const glibc = join(HERE, '.glibc/usr');
  const loader = join(glibc, 'lib64/ld-linux-x86-64.so.2');
  const libraries = join(glibc, 'lib/x86_64-linux-gnu');
  return [
    [programOf('1.6')],
    [loader, '--library-path', libraries, programOf('1.6')],
    [programOf('1.0')],
  ];
}

function tailcallOf(command: Command, version: string): Contestant {
  return {
    name: `Tailcall ${version.trim().replace(/^tailcall v?/, '')} (Rust)`,
    kind: 'tailcall',
    command: (port, upstreamUrl, folder) => {
      const template = readFileSync(join(HERE, 'peers/tailcall.graphql'), 'utf8');
      const file = join(folder, `tailcall-${port}.graphql`);
      const configuration = template
        .replaceAll('UPSTREAM', upstreamUrl)
        .replace('port: 4999', `port: ${port}`)
        .replaceAll('workers: 1', `workers: ${isPinning() ? 1 : availableParallelism()}`);
      writeFileSync(file, configuration);
      return [...command, 'start', file];
    },
  };
}

/** It would report its use over the network. */
const QUIET_TAILCALL = { TAILCALL_TRACKER: 'false', TAILCALL_LOG_LEVEL: 'error' };
