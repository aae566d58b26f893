/** The layers of `src/`, in order, and what imports what: read by the architecture's test and by the picture in docs/. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Paths are written as in imports, on Windows too. */
export const slashed = (path: string): string => path.replaceAll('\\', '/');

export const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** From the top: each imports only from those below it. A new layer is a line here, at its place. */
export const LAYERS: readonly string[] = [
  'main.ts',
  'serve-backend.ts',
  'app',
  'extensions',
  'explorer',
  'gateway',
  'resources',
  'plan',
  'graph',
  'live',
  'execution',
  'rest',
  'backend',
  'client',
  'v0',
  'lib',
];

export interface Import {
  readonly from: string;
  /** A file below `src/`, or a package. */
  readonly to: string;
}

export const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map(slashed)
  .filter((file) => /\.tsx?$/.test(file));

export const imports: readonly Import[] = files.flatMap((from) => {
  const text = readFileSync(join(SRC, from), 'utf8');
  const found = text.matchAll(/(?:\bfrom |\bimport |\bimport\()'([^'\s]+)'/g);
  return [...found].map(([, name = '']) => ({
    from,
    to: name.startsWith('.') ? slashed(relative(SRC, join(SRC, dirname(from), name))) : name,
  }));
});

export const layerOf = (file: string): string => file.split('/')[0]!;

const isOwn = (name: string): boolean => LAYERS.includes(layerOf(name));

export type Edge = readonly [from: string, to: string];

/** Imports between groups of files, which `nameOf` names, below a folder. */
export const between = (nameOf: (file: string) => string, within = ''): Edge[] =>
  imports
    .filter(({ from, to }) => isOwn(to) && from.startsWith(within) && to.startsWith(within))
    .map(({ from, to }): Edge => [nameOf(from), nameOf(to)])
    .filter(([from, to]) => from !== to);

/**
 * The layers and their imports in Mermaid's language. An arrow that a longer way implies is omitted, and so are those
 * to `lib` and `v0`, which nearly all have.
 */
export function drawLayers(): string {
  const drawn = LAYERS.filter((layer) => layer !== 'lib' && layer !== 'v0');
  const edges = new Map<string, Set<string>>(drawn.map((layer) => [layer, new Set<string>()]));
  for (const [from, to] of between(layerOf)) if (edges.has(to)) edges.get(from)?.add(to);
  const reaches = (from: string, to: string): boolean =>
    [...(edges.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  const lines = drawn.flatMap((from) => {
    const own = [...edges.get(from)!];
    return own
      .filter((to) => !own.some((other) => other !== to && reaches(other, to)))
      .sort((a, b) => drawn.indexOf(a) - drawn.indexOf(b))
      .map((to) => `  ${from} --> ${to}`);
  });
  return ['graph TD', ...lines].join('\n');
}
