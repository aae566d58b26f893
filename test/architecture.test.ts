/**
 * The structure of `src/`: which layer may import which, and which folder of a layer may use which.
 *
 * The tables say exactly what is imported: an import that they lack fails, and so does a line that
 * no import uses. A new layer, module or package is a line here, written on purpose.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** Each layer, and the other layers it imports from. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'main.ts': [
    'config.ts',
    'schema.ts',
    'open-backend.ts',
    'mcp',
    'open-shared-state.ts',
    'process',
    'server',
    'observe',
    'usage',
    'rest',
    'backend',
    'lib',
  ],
  'open-backend.ts': ['config.ts', 'observe', 'recording', 'rest', 'backend', 'lib'],
  'open-shared-state.ts': [
    'config.ts',
    'schema.ts',
    'server',
    'observe',
    'cache',
    'rest',
    'shared-state',
  ],
  'serve-backend.ts': ['config.ts', 'process', 'server', 'observe', 'backend', 'lib'],
  // What `npm run` prints and checks.
  commands: [
    'config.ts',
    'schema.ts',
    'federation',
    'documents',
    'impact',
    'usage',
    'operation',
    'plan',
    'graph',
    'settings',
    'v0',
  ],
  'config.ts': ['settings', 'v0'],
  settings: ['v0', 'lib'],
  // Tools of agents: loaded only where they are served.
  mcp: ['server', 'documents', 'operation', 'plan', 'execution', 'lib'],
  // The process: ports, workers, signals.
  process: ['server', 'observe', 'operation', 'lib'],
  server: [
    'observe',
    'drift',
    'usage',
    'documents',
    'operation',
    'plan',
    'graph',
    'live',
    'execution',
    'rest',
    'shared-state',
    'lib',
    'v0',
  ],
  // Metrics, traces and logs.
  observe: ['documents', 'operation', 'live', 'rest', 'shared-state', 'v0'],
  // Where the backend departs from its document.
  drift: ['documents', 'operation', 'graph', 'rest', 'v0'],
  // What of the schema is asked for.
  usage: ['observe', 'operation'],
  // Trusted documents, and limits of all.
  documents: ['operation', 'execution', 'lib'],
  // An operation on its way: its request, its record, its result.
  operation: ['graph', 'execution', 'rest', 'lib', 'v0'],
  'schema.ts': ['resources', 'federation', 'graph', 'execution'],
  // What routers ask a subgraph: loaded only where it is one.
  federation: ['graph'],
  resources: ['graph', 'live', 'rest', 'v0'],
  impact: ['usage', 'plan', 'graph', 'execution'],
  plan: ['graph', 'execution', 'rest', 'v0'],
  graph: ['live', 'execution', 'rest', 'v0', 'lib'],
  // What subscriptions watch: one poller for each object and key.
  live: ['rest', 'shared-state', 'lib'],
  execution: ['lib'],
  recording: ['rest', 'v0', 'lib'],
  // Answers of the backend that are used again: loaded only where that is switched on.
  cache: ['rest', 'shared-state'],
  rest: ['v0', 'lib'],
  // Redis, for what replicas share: loaded only where it is used.
  'shared-state': [],
  v0: [],
  lib: [],
  backend: ['v0'],
  client: [],
  explorer: ['client', 'plan', 'server'],
};

/** Each resource module, and the modules it imports from. An edge lives with its child. */
const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  page: [],
  audience: ['page'],
  'audience-version': ['audience', 'page'],
  'page-link': ['page', 'audience'],
  topic: [],
  account: [],
  person: ['account', 'audience'],
  log: ['account', 'person'],
};

/** Layers with folders: each folder, or file beside them, and what it imports from of its layer. */
const FOLDERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  resources: { 'resources.ts': Object.keys(RESOURCES), ...RESOURCES },
  server: {
    'gateway.ts': ['carriers', 'gateway-options.ts', 'http', 'policies'],
    'gateway-options.ts': ['carriers', 'http', 'policies'],
    http: ['carriers'],
    carriers: ['policies'],
    policies: [],
  },
  observe: {
    'shared-state-observer.ts': ['logs', 'metrics'],
    'upstream-observer.ts': ['logs', 'metrics', 'readiness.ts'],
    traces: ['logs'],
    metrics: ['readiness.ts'],
    logs: [],
    'readiness.ts': [],
    'requests.ts': [],
  },
  operation: {
    'gateway-plugin.ts': ['request', 'result'],
    result: ['refusal.ts', 'request'],
    request: ['refusal.ts'],
    'refusal.ts': [],
  },
  graph: {
    fields: ['context.ts', 'entity', 'errors.ts', 'loading', 'schema', 'types'],
    schema: ['context.ts', 'entity', 'errors.ts', 'loading', 'types'],
    entity: ['context.ts', 'errors.ts', 'loading', 'types'],
    loading: ['context.ts', 'errors.ts', 'types'],
    'context.ts': [],
    types: ['errors.ts'],
    'errors.ts': [],
  },
  // The specification is in `core`, which knows neither of what may come later nor of limits.
  execution: {
    'execute.ts': ['assert-executable.ts', 'bounds', 'core', 'incremental', 'operation'],
    'assert-executable.ts': [],
    incremental: ['bounds', 'core', 'operation'],
    bounds: ['core', 'operation'],
    core: ['operation'],
    operation: [],
  },
  rest: {
    client: ['call', 'decode', 'resilience', 'transport'],
    resilience: ['call', 'decode'],
    decode: ['call'],
    transport: ['call'],
    call: [],
  },
  backend: {
    'backend.ts': ['database', 'errors', 'http', 'publishing', 'routes', 'seed'],
    seed: ['database', 'http'],
    routes: ['database', 'errors', 'http', 'publishing'],
    publishing: ['database', 'errors'],
    http: ['database', 'errors'],
    database: ['errors'],
    errors: [],
  },
  explorer: {
    'explorer.tsx': ['documents', 'exchange', 'page', 'waterfall'],
    waterfall: ['documents', 'exchange'],
    page: ['documents', 'exchange'],
    documents: ['exchange'],
    exchange: [],
    'vite.config.ts': [],
  },
};

/** The npm packages that each layer imports; modules of Node are not listed. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'main.ts': [],
  'open-backend.ts': [],
  'open-shared-state.ts': [],
  'serve-backend.ts': [],
  commands: ['graphql', 'typescript'],
  'config.ts': [],
  settings: ['zod'],
  mcp: ['@modelcontextprotocol/server', 'graphql'],
  process: ['prom-client'],
  server: [
    ...['@graphql-yoga/plugin-csrf-prevention', 'graphql', 'graphql-ws', 'graphql-yoga', 'sirv'],
    'ws',
  ],
  observe: [
    '@opentelemetry/api',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
    'graphql',
    'pino',
    'pino-pretty',
    'prom-client',
  ],
  documents: ['graphql', 'lru-cache', 'zod'],
  operation: ['graphql', 'graphql-yoga', 'lru-cache'],
  usage: ['@graphql-hive/core', 'graphql', 'zod'],
  drift: ['graphql', 'zod'],
  'schema.ts': ['graphql'],
  federation: ['graphql'],
  resources: ['@repeaterjs/repeater', 'zod'],
  impact: ['@graphql-inspector/core', 'graphql'],
  plan: ['graphql'],
  graph: [
    '@pothos/core',
    '@pothos/plugin-relay',
    'dataloader',
    'graphql',
    'graphql-scalars',
    'zod',
  ],
  live: ['@repeaterjs/repeater'],
  execution: ['graphql', 'lru-cache'],
  recording: ['lru-cache', 'undici', 'zod'],
  cache: ['http-cache-semantics', 'lru-cache'],
  rest: ['lru-cache', 'undici', 'zod'],
  'shared-state': ['ioredis', 'lru-cache'],
  v0: ['zod'],
  lib: [],
  backend: ['@hono/node-server', '@libsql/client', 'drizzle-orm', 'hono', 'zod'],
  client: [
    '@apollo/client',
    '@graphql-codegen/cli',
    '@graphql-codegen/client-preset',
    '@graphql-codegen/plugin-helpers',
    '@graphql-typed-document-node/core',
    '@urql/exchange-graphcache',
    'graphql',
  ],
  explorer: [
    '@graphiql/plugin-doc-explorer',
    '@graphiql/plugin-explorer',
    '@graphiql/plugin-history',
    '@graphiql/react',
    '@graphiql/toolkit',
    'graphiql',
    'graphql',
    'jsonc-parser',
    'monaco-editor',
    'monaco-graphql',
    'react',
    'react-dom',
    'vite',
  ],
};

/** More files side by side than this are a drawer: the layer needs folders. */
const MAX_FILES_OF_A_FOLDER = 12;

/** More names than this are more of graph/ than somebody who writes a resource wants to know. */
const MAX_NAMES_FROM_GRAPH = 30;

/**
 * More names than this are not seen at a glance. There is a resource module for each resource, and a command for each
 * script of `package.json`.
 */
const MAX_NAMES_OF_A_LAYER = 8;

interface Import {
  readonly from: string;
  /** A file below `src/`, or a package. */
  readonly to: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);

const imports: readonly Import[] = files.flatMap((from) => {
  const text = readFileSync(join(SRC, from), 'utf8');
  const found = text.matchAll(/(?:\bfrom |\bimport |\bimport\()'([^'\s]+)'/g);
  return [...found].map(([, name = '']) => ({
    from,
    to: name.startsWith('.') ? relative(SRC, join(SRC, dirname(from), name)) : name,
  }));
});

const layerOf = (file: string): string => file.split('/')[0]!;
const isOwn = (name: string): boolean => layerOf(name) in LAYERS;
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

/** What each name on the left imports, in the form of the tables above. */
function table(
  names: Iterable<string>,
  edges: readonly (readonly [from: string, to: string])[],
): Record<string, string[]> {
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      [
        ...new Set(edges.filter(([from, to]) => from === name && to !== name).map(([, to]) => to)),
      ].sort(),
    ]),
  );
}

function cyclesOf(imported: Readonly<Record<string, readonly string[]>>): string[][] {
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (name: string, trail: readonly string[]): void => {
    if (trail.includes(name)) cycles.push([...trail.slice(trail.indexOf(name)), name]);
    else if (!done.has(name)) {
      for (const next of imported[name] ?? []) visit(next, [...trail, name]);
      done.add(name);
    }
  };
  for (const name of Object.keys(imported)) visit(name, []);
  return cycles;
}

const sorted = (lines: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(lines).map(([name, list]) => [name, [...list].sort()]));

describe('the structure of src/', () => {
  it('has exactly the imports between layers that the table says', () => {
    const edges = imports
      .filter(({ to }) => isOwn(to))
      .map(({ from, to }) => [layerOf(from), layerOf(to)] as const);

    expect(table(new Set(files.map(layerOf)), edges)).toEqual(sorted(LAYERS));
  });

  it.each(Object.entries(FOLDERS))(
    'has exactly the imports between folders of %s/ that the table says',
    (layer, folders) => {
      const folderOf = (file: string) => file.split('/')[1]!;
      const edges = imports
        .filter(({ from, to }) => layerOf(from) === layer && layerOf(to) === layer)
        .map(({ from, to }) => [folderOf(from), folderOf(to)] as const);
      const found = files.filter((file) => layerOf(file) === layer).map(folderOf);

      expect(table(new Set(found), edges)).toEqual(sorted(folders));
    },
  );

  it('uses exactly the packages that the table says, layer by layer', () => {
    const edges = imports
      .filter(({ to }) => !isOwn(to) && !to.startsWith('node:'))
      .map(({ from, to }) => [layerOf(from), packageOf(to)] as const);

    expect(table(new Set(files.map(layerOf)), edges)).toEqual(sorted(PACKAGES));
  });

  it('has no cycle among its files', () => {
    const edges = imports.filter(({ to }) => isOwn(to)).map(({ from, to }) => [from, to] as const);

    expect(cyclesOf(table(files, edges))).toEqual([]);
  });

  it.each(Object.entries(FOLDERS))('has no cycle among the folders of %s/', (_layer, folders) => {
    expect(cyclesOf(folders)).toEqual([]);
  });

  const isList = (layer: string) => ['resources', 'commands'].includes(layer);
  it.each(Object.keys(LAYERS).filter((layer) => !layer.includes('.') && !isList(layer)))(
    `shows at most ${MAX_NAMES_OF_A_LAYER} names in %s/`,
    (layer) => {
      expect(readdirSync(join(SRC, layer)).length).toBeLessThanOrEqual(MAX_NAMES_OF_A_LAYER);
    },
  );

  it(`keeps at most ${MAX_FILES_OF_A_FOLDER} files side by side in a folder`, () => {
    const counts = new Map<string, number>();
    for (const file of files) {
      const folder = dirname(file);
      if (!folder.includes('generated')) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }

    expect([...counts].filter(([, count]) => count > MAX_FILES_OF_A_FOLDER)).toEqual([]);
  });

  it(`asks those who write resources to know at most ${MAX_NAMES_FROM_GRAPH} names of graph/`, () => {
    const names = files
      .filter((file) => layerOf(file) === 'resources')
      .flatMap((file) => {
        const text = readFileSync(join(SRC, file), 'utf8');
        return [...text.matchAll(/import (?:type )?\{([^}]+)\} from '[^']*\/graph\/[^']*'/g)];
      })
      .flatMap(([, list = '']) => list.match(/\b(?!type )\w+/g) ?? []);

    expect([...new Set(names)].length).toBeLessThanOrEqual(MAX_NAMES_FROM_GRAPH);
  });

  it('is started by a file of at most 120 lines', () => {
    expect(readFileSync(join(SRC, 'main.ts'), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(
      120,
    );
  });

  it('loads what replicas share only where it is used', () => {
    const loading = files.filter((file) =>
      /^import (?!type )[^;]*'[^']*(?:shared-state\/[^']*|ioredis)';/m.test(
        readFileSync(join(SRC, file), 'utf8'),
      ),
    );

    expect(loading.filter((file) => layerOf(file) !== 'shared-state')).toEqual([]);
  });

  it('loads MCP only where it is used', () => {
    const loading = files.filter((file) =>
      /^import (?!type )[^;]*'(?:[^']*\/mcp\.ts|@modelcontextprotocol\/[^']*)';/m.test(
        readFileSync(join(SRC, file), 'utf8'),
      ),
    );

    expect(loading).toEqual(['mcp/mcp.ts']);
  });

  it('loads what reports to GraphQL Hive only where it is used', () => {
    const loading = files.filter((file) =>
      /^import (?!type )[^;]*'[^']*\/hive(?:-operation)?\.ts';/m.test(
        readFileSync(join(SRC, file), 'utf8'),
      ),
    );

    expect(loading).toEqual(['usage/hive/hive.ts']);
  });

  it('loads what a subgraph needs only where the gateway is one', () => {
    const loading = files.filter((file) =>
      /^import (?!type )[^;]*'[^']*\/federation\/[^']*';/m.test(
        readFileSync(join(SRC, file), 'utf8'),
      ),
    );

    expect(loading).toEqual(['commands/print-schema.ts']);
  });

  it('reads the environment in the two processes alone', () => {
    const readers = files.filter((file) =>
      readFileSync(join(SRC, file), 'utf8').includes('process.env'),
    );

    expect(readers.sort()).toEqual(['main.ts', 'serve-backend.ts']);
  });

  it.each([
    ['/proc', /['"]\/proc\b/],
    ['Error.stackTraceLimit', /stackTraceLimit/],
    ['flags of V8', /setFlagsFromString/],
    [
      'private objects of Node and undici',
      /\._handle\b|\.parser\b|Symbol\(k[A-Z]|\bk[A-Z]\w*\] ?[=(]/,
    ],
  ])('does not reach for %s', (_what, pattern) => {
    const reaching = files.filter((file) => pattern.test(readFileSync(join(SRC, file), 'utf8')));

    expect(reaching).toEqual([]);
  });

  it('opens every file with a sentence on what it is', () => {
    const silent = files
      .filter((file) => !file.includes('generated/'))
      .filter((file) => !/^(?:#!.*\n)?\/\*\*/.test(readFileSync(join(SRC, file), 'utf8')));

    expect(silent).toEqual([]);
  });
});
