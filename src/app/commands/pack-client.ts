/**
 * Packs the client package: `npm run client`.
 *
 * As a file, since npm links folders, whose modules would load the gateway's graphql instead of the app's.
 */
import { execSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { runCommand } from './terminal.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const HELP = `
npm run client -- [folder]

Packs the client package for frontends as content-pages-client.tgz in the folder (default: dist-client).
`;

/** Files that are copied, and their paths in the package. */
const COPIES = {
  'src/client/package.json': 'package.json',
  'src/client/documents': 'documents',
  'src/client/generated/persisted-documents.json': 'manifest.json',
  'schema.graphql': 'schema.graphql',
  LICENSE: 'LICENSE',
};

await runCommand(HELP, {}, ({ positionals: [folder = join(ROOT, 'dist-client')] }) => {
  const staged = mkdtempSync(join(tmpdir(), 'content-pages-client-'));
  try {
    const faults = compile(staged);
    if (faults.length > 0) throw new Error(ts.formatDiagnostics(faults, ts.createCompilerHost({})));
    return [relative(process.cwd(), pack(staged, resolve(folder)))];
  } finally {
    rmSync(staged, { recursive: true });
  }
});

/** Writes JavaScript and declarations. Returns the compiler's errors. */
function compile(staged: string): readonly ts.Diagnostic[] {
  const file = join(ROOT, 'src/client/tsconfig.json');
  const parsed = ts.readConfigFile(file, (path) => ts.sys.readFile(path));
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(
    parsed.config,
    ts.sys,
    join(ROOT, 'src/client'),
  );
  const program = ts.createProgram(fileNames, { ...options, outDir: staged });
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

function pack(staged: string, target: string): string {
  for (const [from, to] of Object.entries(COPIES)) {
    cpSync(join(ROOT, from), join(staged, to), { recursive: true });
  }
  execSync('npm pack --silent', { cwd: staged, stdio: ['ignore', 'ignore', 'inherit'] });
  const file = readdirSync(staged).find((name) => name.endsWith('.tgz'))!;
  const packed = join(target, 'content-pages-client.tgz');
  mkdirSync(target, { recursive: true });
  cpSync(join(staged, file), packed);
  return packed;
}
