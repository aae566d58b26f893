/** The structure of `src/`: layers import downwards, and nothing imports in cycles. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import {
  between,
  drawLayers,
  files,
  imports,
  layerOf,
  LAYERS,
  SRC,
  slashed,
  type Edge,
} from './support/layers.ts';
import { ROOT } from './support/pages.ts';

/** The modules of `resources/` below the list of them all: an edge lives with its child. */
const RESOURCES: readonly string[] = [
  'resources.ts',
  'log.ts',
  'person.ts',
  'account.ts',
  'page-link.ts',
  'publishing.ts',
  'page-progress.ts',
  'audience-version.ts',
  'audience.ts',
  'page.ts',
  'topic.ts',
];

/** An import of an extension, of the list of all, or of a helper of their tests. */
const EXTENSION_IMPORT =
  /(?:\bfrom |\bimport |\bimport\()'[^']*(?:\/extensions\/|\/app\/extensions\.ts|\/src\/main\.ts)/;

/** Layers that know no extension. */
const CORE: readonly string[] = [
  'gateway',
  'resources',
  'plan',
  'graph',
  'live',
  'execution',
  'rest',
  'v0',
  'lib',
];

const FOLDERS = readdirSync(join(SRC, 'extensions'));

/** Where a table of settings names one. */
const SETTING = /\b(?:setting|secret|family)\(\s*'([A-Z_*]+)'/g;

/** What a file imports statically, types excepted. */
const loadedBy = (file: string): readonly string[] =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/^import (?!type )[^;]*?'([^']+)';/gm)].map(
    ([, to]) => to!,
  );

/** Words of extensions, which are in no name of the core, and nowhere in its settings. */
const WORDS_OF_EXTENSIONS = /mcp|redis|replica|recorded|replay|federation/i;

/** The identifiers of a file, and the strings that are names: of properties, modules and members of unions. */
function namesIn(file: string): ReadonlySet<string> {
  const text = readFileSync(join(SRC, file), 'utf8');
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.add(node.text);
    const { parent } = node;
    const isName =
      ts.isStringLiteral(node) &&
      (ts.isLiteralTypeNode(parent) ||
        ts.isImportDeclaration(parent) ||
        ts.isExportDeclaration(parent) ||
        (ts.isPropertyAssignment(parent) && parent.name === node));
    if (isName) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return names;
}

/** Imports that do not lead downwards in the list. */
const upwards = (order: readonly string[], edges: readonly Edge[]): readonly Edge[] =>
  edges.filter(([from, to]) => order.indexOf(from) >= order.indexOf(to));

function cyclesOf(edges: readonly Edge[]): string[][] {
  const imported = new Map<string, string[]>();
  for (const [from, to] of edges) imported.set(from, [...(imported.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (name: string, trail: readonly string[]): void => {
    if (trail.includes(name)) cycles.push([...trail.slice(trail.indexOf(name)), name]);
    else if (!done.has(name)) {
      for (const next of imported.get(name) ?? []) visit(next, [...trail, name]);
      done.add(name);
    }
  };
  for (const name of imported.keys()) visit(name, []);
  return cycles;
}

describe('the structure of src/', () => {
  it('has exactly the listed layers', () => {
    expect([...new Set(files.map(layerOf))].sort()).toEqual([...LAYERS].sort());
  });

  it('imports only downwards in the list of layers', () => {
    expect(upwards(LAYERS, between(layerOf))).toEqual([]);
  });

  it('is drawn in docs/architecture.md as `npm run docs:layers` draws it', () => {
    expect(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')).toContain(drawLayers());
  });

  it('imports only from child to parent among resources', () => {
    const moduleOf = (file: string) => file.split('/')[1]!;

    expect(upwards(RESOURCES, between(moduleOf, 'resources/'))).toEqual([]);
    expect(readdirSync(join(SRC, 'resources')).sort()).toEqual([...RESOURCES].sort());
  });

  it('has no cycle among its files', () => {
    expect(cyclesOf(between((file) => file))).toEqual([]);
  });

  it.each(LAYERS.filter((layer) => !layer.includes('.')))(
    'has no cycle among the folders of %s/',
    (layer) => {
      const folderOf = (file: string) => file.split('/')[1]!;

      expect(cyclesOf(between(folderOf, `${layer}/`))).toEqual([]);
    },
  );

  it('imports an extension only in the list of extensions, and there only its settings statically', () => {
    const importing = imports
      .filter(({ from, to }) => to.startsWith('extensions/') && !from.startsWith('extensions/'))
      .filter(({ from }) => !from.startsWith('app/commands/'))
      .map(({ from, to }) => [from, to]);
    const listed = FOLDERS.flatMap((name) =>
      ['extension', 'settings'].map((role) => [
        'app/extensions.ts',
        `extensions/${name}/${name}.${role}.ts`,
      ]),
    );

    expect(importing.sort()).toEqual(listed.sort());
    expect(loadedBy('app/extensions.ts')).toEqual(
      FOLDERS.map((name) => `../extensions/${name}/${name}.settings.ts`),
    );
  });

  it.each(FOLDERS)(
    'loads nothing but setting types and the route table with the settings of %s',
    (name) => {
      const foreign = loadedBy(`extensions/${name}/${name}.settings.ts`).filter(
        (to) =>
          !/^(?:zod|(?:\.\.\/){2}(?:gateway\/(?:extension|settings\/\w+)|v0\/routes)\.ts)$/.test(
            to,
          ),
      );

      expect(foreign).toEqual([]);
    },
  );

  it('names the settings of an extension only in its folder', () => {
    const textOf = (file: string): string => readFileSync(join(SRC, file), 'utf8');
    const names = FOLDERS.flatMap((name) =>
      [...textOf(`extensions/${name}/${name}.settings.ts`).matchAll(SETTING)].map(
        ([, setting]) => setting!,
      ),
    );
    const patterns = names.map((name) => (name.endsWith('*') ? name.slice(0, -1) : `${name}\\b`));
    const isNamed = new RegExp(`\\b(?:${patterns.join('|')})`);
    const naming = files
      .filter((file) => !file.startsWith('extensions/'))
      .filter((file) => isNamed.test(textOf(file)));

    expect(names.length).toBeGreaterThan(FOLDERS.length);
    expect(naming).toEqual([]);
  });

  it('has no word of an extension in a name of the core', () => {
    const named = files
      .filter((file) => CORE.includes(layerOf(file)))
      .flatMap((file) => [file, ...[...namesIn(file)].map((name) => `${file}: ${name}`)])
      .filter((name) => WORDS_OF_EXTENSIONS.test(name));

    expect(named).toEqual([]);
  });

  it('has no word of an extension in the settings of the core', () => {
    const naming = files
      .filter((file) => /^app\/(?:settings\/|config)|^gateway\/settings\//.test(file))
      .filter((file) => WORDS_OF_EXTENSIONS.test(readFileSync(join(SRC, file), 'utf8')));

    expect(naming).toEqual([]);
  });

  it('imports extensions only in tests of extensions', () => {
    const folder = join(ROOT, 'test');
    const importing = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map(slashed)
      .filter((file) => /\.m?ts$/.test(file) && !file.startsWith('extensions/'))
      .filter((file) => EXTENSION_IMPORT.test(readFileSync(join(folder, file), 'utf8')));

    expect(importing).toEqual([]);
  });

  it('imports only types from another extension', () => {
    const folderOf = (file: string) => file.split('/')[1]!;
    const folder = join(SRC, 'extensions/cache');
    const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));

    expect([...new Set(between(folderOf, 'extensions/').map(String))]).toEqual(['cache,redis']);
    expect(texts.join('')).not.toMatch(/import (?!type )[^;]*'\.\.\/redis\//);
  });

  it('opens every file with a doc comment', () => {
    const uncommented = files
      .filter((file) => !file.includes('generated/'))
      .filter((file) => !/^(?:#!.*\n)?\/\*\*/.test(readFileSync(join(SRC, file), 'utf8')));

    expect(uncommented).toEqual([]);
  });
});
