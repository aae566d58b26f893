/**
 * The gateway as JavaScript, so that a test's process starts in half the time that tsx takes.
 *
 * Made once for a state of the sources and kept under node_modules, where its imports find what
 * they need; compiled file by file, since types are checked elsewhere.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/gateway-build');

/** The path of its `main.js`. */
export function buildGateway(): string {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('client'))
    .map((file) => ({ file, text: readFileSync(join(ROOT, 'src', file), 'utf8') }));
  const hash = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 16);
  const done = join(CACHE, hash);
  if (!existsSync(done)) build(sources, done);
  return join(done, 'main.js');
}

function build(sources: readonly { file: string; text: string }[], done: string): void {
  // Several test processes may come here at once: each builds its own, and one of them stays.
  const making = `${done}.${process.pid}`;
  for (const { file, text } of sources) {
    const { outputText } = ts.transpileModule(text, { compilerOptions: OPTIONS, fileName: file });
    const path = join(making, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, outputText);
  }
  writeFileSync(join(making, 'package.json'), '{ "type": "module" }');
  for (const other of readdirSync(CACHE)) {
    // Another process may have moved or removed it meanwhile.
    const { mtimeMs = Infinity } = statSync(join(CACHE, other), { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > 3_600_000)
      rmSync(join(CACHE, other), { recursive: true, force: true });
  }
  try {
    renameSync(making, done);
  } catch {
    rmSync(making, { recursive: true });
  }
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
};
