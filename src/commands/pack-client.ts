/**
 * Writes the folder that frontends install: `npm run client`, or `npm run client -- folder` for another
 * one than `dist-client`. What was in the folder is removed.
 *
 * Compiles `src/client` by the compiler's own interface and copies by Node's, so that every system with
 * Node can do it.
 */
import { cpSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TARGET = resolve(process.argv[2] ?? join(ROOT, 'dist-client'));

/** What is packed as it is, and its place in the package. */
const COPIES = {
  'src/client/package.json': 'package.json',
  'src/client/documents': 'documents',
  'src/client/generated/persisted-documents.json': 'manifest.json',
  'schema.graphql': 'schema.graphql',
  LICENSE: 'LICENSE',
};

rmSync(TARGET, { recursive: true, force: true });
const faults = compile();
if (faults.length > 0) {
  const host = ts.createCompilerHost({});
  process.stderr.write(ts.formatDiagnostics(faults, host));
  process.exitCode = 1;
} else {
  for (const [from, to] of Object.entries(COPIES)) {
    cpSync(join(ROOT, from), join(TARGET, to), { recursive: true });
  }
}

/** Writes JavaScript and declarations, and answers what the compiler finds wrong. */
function compile(): readonly ts.Diagnostic[] {
  const file = join(ROOT, 'src/client/tsconfig.json');
  const parsed = ts.readConfigFile(file, (path) => ts.sys.readFile(path));
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(
    parsed.config,
    ts.sys,
    join(ROOT, 'src/client'),
  );
  const program = ts.createProgram(fileNames, { ...options, outDir: TARGET });
  const { diagnostics } = program.emit(undefined, (name, text) => {
    // The compiler rewrites imports in JavaScript only.
    const isDeclaration = name.endsWith('.d.ts');
    ts.sys.writeFile(
      name,
      isDeclaration ? text.replace(/(?<='\.{1,2}\/[^']*)\.ts(?=')/g, '.js') : text,
    );
  });
  return [...errors, ...ts.getPreEmitDiagnostics(program), ...diagnostics];
}
