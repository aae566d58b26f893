/**
 * The house: which floor may stand on which, and which room may look into which.
 *
 * The two tables are the design's. A new floor or room is a line here, said on purpose.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** Each floor, and the floors it may import from beside itself. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['config.ts', 'server', 'schema.ts', 'graph', 'rest', 'backend', 'v0'],
  'config.ts': ['config-variable.ts', 'v0'],
  'config-variable.ts': [],
  server: ['schema.ts', 'graph', 'execution', 'rest', 'config.ts', 'v0'],
  'schema.ts': ['resources', 'graph'],
  resources: ['graph', 'rest', 'v0'],
  graph: ['execution', 'rest', 'v0'],
  execution: [],
  rest: ['v0'],
  v0: [],
  backend: ['v0'],
  client: [],
};

/** Each room, and the rooms it may look into. An edge lives with its child. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  page: [],
  audience: ['page'],
  'page-link': ['page', 'audience'],
  topic: [],
  account: [],
  person: ['account', 'audience'],
  log: ['account', 'person'],
};

/** What a floor may use of npm, where that is narrower than everything. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  v0: ['zod'],
  execution: ['graphql', 'lru-cache'],
  rest: ['undici', 'zod', 'opossum', 'lru-cache', 'node:'],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

const imports: readonly Import[] = files.flatMap((from) => {
  const text = readFileSync(join(SRC, from), 'utf8');
  const found = text.matchAll(/(?:from|import)\s+'([^']+)'/g);
  return [...found].map(([, name = '']) => ({
    from,
    to: name.startsWith('.') ? relative(SRC, join(SRC, dirname(from), name)) : name,
  }));
});

const floorOf = (file: string): string => file.split('/')[0]!;
const isOwn = (name: string): boolean => floorOf(name) in FLOORS;

describe('the house', () => {
  it('has only the floors of the table', () => {
    expect(new Set(files.map(floorOf))).toEqual(new Set(Object.keys(FLOORS)));
  });

  it('lets a floor stand only on the floors below it', () => {
    const forbidden = imports.filter(
      ({ from, to }) =>
        isOwn(to) && floorOf(from) !== floorOf(to) && !FLOORS[floorOf(from)]!.includes(floorOf(to)),
    );

    expect(forbidden).toEqual([]);
  });

  it('lets a room look only into the rooms of its line', () => {
    const roomOf = (file: string) =>
      floorOf(file) === 'resources' ? file.split('/')[1] : undefined;
    const forbidden = imports.filter(({ from, to }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      return room && other && room !== other && !ROOMS[room]?.includes(other);
    });

    expect(forbidden).toEqual([]);
  });

  it('has no cycle among its files', () => {
    const edges = new Map<string, string[]>();
    for (const { from, to } of imports) {
      if (isOwn(to)) edges.set(from, [...(edges.get(from) ?? []), to]);
    }
    const done = new Set<string>();
    const cycles: string[][] = [];
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file]);
      else if (!done.has(file)) {
        for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
        done.add(file);
      }
    };
    files.forEach((file) => {
      visit(file, []);
    });

    expect(cycles).toEqual([]);
  });

  it('keeps each floor to the packages it is about', () => {
    const forbidden = imports.filter(({ from, to }) => {
      const allowed = PACKAGES[floorOf(from)];
      return allowed && !isOwn(to) && !allowed.some((name) => to.startsWith(name));
    });

    expect(forbidden).toEqual([]);
  });

  it('reads the environment in main.ts alone', () => {
    const readers = files.filter((file) =>
      readFileSync(join(SRC, file), 'utf8').includes('process.env'),
    );

    expect(readers.filter((file) => file !== 'main.ts')).toEqual([]);
  });

  it('opens every file with a sentence on what it is', () => {
    const silent = files
      .filter((file) => !file.includes('generated/'))
      .filter((file) => !/^(?:#!.*\n)?\/\*\*/.test(readFileSync(join(SRC, file), 'utf8')));

    expect(silent).toEqual([]);
  });
});
