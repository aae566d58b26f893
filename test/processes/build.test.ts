/** What the build makes of the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { buildGateway } from '../support/gateway-build.ts';

const FOLDER = dirname(await buildGateway());

it('removes nothing from a try block that leaves it without a name, and so without a way to fail', () => {
  const blocks = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => tryBlocksOf(file, readFileSync(join(FOLDER, file), 'utf8')));

  expect(blocks.length).toBeGreaterThan(100);
  expect(blocks.filter((block) => !hasName(block)).map((block) => block.getText())).toEqual([]);
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
