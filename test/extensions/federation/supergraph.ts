/**
 * The composers and routers that the subgraph is tested with, and another subgraph next to it. They are installed by
 * `npm ci` in this folder, apart from the product; otherwise their tests are skipped.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findEntity } from '../../../src/graph/entity/entity.ts';
import { openFolder } from '../../support/folder.ts';
import { afterFile } from '../../support/after-file.ts';
import { freePort } from '../../support/free-port.ts';
import { packagesOf } from '../../support/packages.ts';
import { until } from '../../support/until.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const MODULES = join(HERE, 'node_modules');
const GRAFBASE = join(MODULES, '@grafbase/cli-x86_64-unknown-linux-musl/grafbase');

const packages = packagesOf(import.meta.url);
export const hasPackages = packages !== undefined;
export const hasGrafbase = existsSync(GRAFBASE);
if (hasPackages && !hasGrafbase) {
  process.stderr.write('Grafbase is not available for this platform: its tests are skipped.\n');
}

export interface Subgraph {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

/** The gateway's own subgraph, as it is checked in. */
export const content = (url = 'http://content'): Subgraph => ({
  name: 'content',
  url,
  sdl: readFileSync(
    join(HERE, '../../../src/extensions/federation/schema.subgraph.graphql'),
    'utf8',
  ),
});

export interface Composed {
  /** Empty after a success. */
  readonly errors: readonly string[];
  readonly supergraph: string;
  /** The schema that callers of a router see. */
  readonly api: string;
}

export type Composer = (subgraphs: readonly Subgraph[]) => Composed;

/** Loads the packages, which have their own copy of graphql, so that only strings are exchanged with them. */
const load = (name: string) => packages!(name);

const servicesOf = (subgraphs: readonly Subgraph[]) =>
  subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: load('graphql').parse(sdl) }));

const messagesOf = (errors: readonly { readonly message: string }[] = []) =>
  errors.map(({ message }) => message);

export const composers: Readonly<Record<string, Composer>> = {
  '@apollo/composition': (subgraphs) => {
    const { composeServices } = load('@apollo/composition');
    const { errors, supergraphSdl: supergraph, schema } = composeServices(servicesOf(subgraphs));
    const printed = () =>
      load('graphql').printSchema(schema.toAPISchema().toGraphQLJSSchema()) as string;
    return { errors: messagesOf(errors), supergraph, api: errors ? '' : printed() };
  },
  '@theguild/federation-composition': (subgraphs) => {
    const { composeServices } = load('@theguild/federation-composition');
    const { errors, supergraphSdl: supergraph, publicSdl } = composeServices(servicesOf(subgraphs));
    return { errors: messagesOf(errors), supergraph, api: publicSdl ?? '' };
  },
};

/** The schema of a contract, without elements that have one of these tags. */
export function composeContract(
  subgraphs: readonly Subgraph[],
  exclude: readonly string[],
): Composed {
  const { composeSchemaContract } = load('@theguild/federation-composition');
  const tags = { include: new Set<string>(), exclude: new Set(exclude) };
  const { errors, supergraphSdl, publicSdl } = composeSchemaContract(
    servicesOf(subgraphs),
    tags,
    true,
  );
  return { errors: messagesOf(errors), supergraph: supergraphSdl, api: publicSdl };
}

/** Ids of the gateway's objects that another subgraph knows, by type. */
export type Known = Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;

/** An object by its raw ids, and by its global id. */
export const knownObject = (typename: string, key: Readonly<Record<string, string>>) => ({
  id: findEntity(typename)!.idOf(key),
  ...key,
});

/** Starts the other subgraph, which knows objects by their `id` or by their `raw` ids. */
export async function openReviews(keys: 'id' | 'raw', known: Known): Promise<Subgraph> {
  const child = start(process.execPath, [join(HERE, 'reviews.mjs'), keys, JSON.stringify(known)]);
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ query: '{ _service { sdl } }' }),
  });
  const { data } = (await answer.json()) as { data: { _service: { sdl: string } } };
  return { name: 'reviews', url, sdl: data._service.sdl };
}

export type Router = (subgraphs: readonly Subgraph[]) => Promise<string>;

/** Each starts a router over subgraphs, and returns its URL, without a path. */
export const routers: Readonly<Record<string, Router>> = {
  'Hive Gateway': async (subgraphs) => {
    const { supergraph } = composers['@theguild/federation-composition']!(subgraphs);
    const port = await freePort();
    const folder = openFolder({
      'supergraph.graphql': supergraph,
      'gateway.config.mjs': `export const gatewayConfig = { propagateHeaders: { fromClientToSubgraphs:
        ({ request }) => ({ 'x-api-key': request.headers.get('x-api-key') ?? undefined }) } };`,
    });
    const program = join(MODULES, '@graphql-hive/gateway/dist/bin.js');
    start(
      process.execPath,
      [program, 'supergraph', 'supergraph.graphql', '--host', '127.0.0.1', '--port', `${port}`],
      folder,
    );
    return listening(port);
  },
  '@apollo/gateway': async (subgraphs) => {
    const { supergraph } = composers['@apollo/composition']!(subgraphs);
    const port = await freePort();
    const folder = openFolder({ 'supergraph.graphql': supergraph });
    const file = join(folder, 'supergraph.graphql');
    start(process.execPath, [join(HERE, 'apollo-gateway.mjs'), `${port}`, file]);
    return listening(port);
  },
  ...(hasGrafbase && {
    Grafbase: async (subgraphs) => {
      const port = await freePort();
      const tables = subgraphs.map(
        ({ name, url }) => `[subgraphs.${name}]\nurl = "${url}"\nschema_path = "${name}.graphql"`,
      );
      const folder = openFolder({
        ...Object.fromEntries(subgraphs.map(({ name, sdl }) => [`${name}.graphql`, sdl])),
        'grafbase.toml': `[[headers]]\nrule = "forward"\nname = "x-api-key"\n${tables.join('\n')}\n`,
      });
      const args = ['dev', '--config', 'grafbase.toml', '--listen-address', `127.0.0.1:${port}`];
      start(GRAFBASE, ['--home', folder, ...args], folder);
      return listening(port);
    },
  }),
};

async function listening(port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  // A router takes seconds to start on a busy machine.
  await until(() => fetch(`${url}/graphql?query={__typename}`).then(({ ok }) => ok), 40_000);
  return url;
}

function start(program: string, args: readonly string[], cwd = HERE) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  afterFile(async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}
