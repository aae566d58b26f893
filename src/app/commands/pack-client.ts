/**
 * Packs the client package: `npm run client`.
 *
 * As a file, since npm links folders, whose modules would load the gateway's graphql instead of the app's.
 */
import { execFileSync, execSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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
    compile(staged);
    return [relative(process.cwd(), pack(staged, resolve(folder)))];
  } finally {
    rmSync(staged, { recursive: true });
  }
});

/** Writes JavaScript and declarations. The compiler prints its errors. */
function compile(staged: string): void {
  const args = ['--project', join(ROOT, 'src/client'), '--outDir', staged];
  const compiler = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
  execFileSync(process.execPath, [compiler, ...args], { stdio: 'inherit' });
  for (const name of readdirSync(staged, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = join(staged, name);
    // The compiler rewrites imports in JavaScript only.
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/(?<='\.{1,2}\/[^']*)\.ts(?=')/g, '.js'));
  }
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
