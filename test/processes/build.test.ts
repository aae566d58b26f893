/** What the build makes of the sources. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { buildGateway, loadedWith } from '../support/gateway-build.ts';

/** Imports of the scripts that tests build next to it. */
const OF_SCRIPTS = /^(?:prettier|typescript|@graphql-codegen\/.*)$/;

const FOLDER = dirname(await buildGateway());

it('leaves no try block without an identifier, since such a block cannot throw', () => {
  const blocks = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => tryBlocksOf(file, readFileSync(join(FOLDER, file), 'utf8')));

  expect(blocks.length).toBeGreaterThan(100);
  expect(blocks.filter((block) => !hasName(block)).map((block) => block.getText())).toEqual([]);
});

it('loads only the settings of extensions until they are enabled', () => {
  const maps = [...loadedWith(join(FOLDER, 'main.js')).keys()].map((file) => `${file}.map`);
  const sources = maps.filter(existsSync).flatMap((map) => {
    return (JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: string[] }).sources;
  });
  const names = sources.flatMap((source) => /\/extensions\/(.+)$/.exec(source)?.[1] ?? []);

  expect(sources.join()).toContain('src/main.ts');
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !name.endsWith('.settings.ts'))).toEqual([]);
});

it('has a package.json and a lock file with the packages that it imports and their dependencies', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  const manifest = read('package.json');
  const lock = read('package-lock.json');
  const imported = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => [
      ...readFileSync(join(FOLDER, file), 'utf8').matchAll(/(?:from|^import) ?"([@\w][^"]*)"/gm),
    ])
    .map(([, name]) => /^(?:@[^/]+\/)?[^/]+/.exec(name!)![0])
    .filter((name) => !builtinModules.includes(name) && !name.startsWith('node:'));

  const own = new Set(imported.filter((name) => !OF_SCRIPTS.test(name)));
  expect(Object.keys(manifest.dependencies)).toEqual([...own].sort());
  // npm rejects a lock file that lacks what a package needs.
  const listed = spawnSync('npm', ['ls', '--all', '--package-lock-only', '--json'], {
    cwd: FOLDER,
  });
  expect(JSON.parse(listed.stdout.toString()).problems).toBeUndefined();
  expect(Object.keys(lock.packages).length).toBeLessThan(40);
});

function tryBlocksOf(file: string, text: string): readonly ts.Block[] {
  const found: ts.Block[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTryStatement(node)) found.push(node.tryBlock);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** Calls, accesses and reads of globals have names; literals do not. */
const hasName = (node: ts.Node): boolean =>
  ts.isIdentifier(node) || ts.forEachChild(node, (child) => hasName(child) || undefined) === true;
