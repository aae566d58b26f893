/**
 * `src/main.ts`, `src/serve-backend.ts` and what they import → a few files in `dist/`, run by `npm run build`.
 *
 * Seven hundred modules in one file are read in half the time. What is loaded only when it is needed
 * (the embedded backend) stays a file of its own.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'rolldown';

const MIGRATIONS = new URL('src/backend/database/migrations/', import.meta.url);

/** What stays below `dist/`: GraphiQL's page, as `src/explorer/vite.config.ts` says, and data of a server run there. */
const KEPT = ['explorer', '.data'];

/** What `dist/` imports instead of holding it: a native module, and graphql. */
const PACKAGES = ['@libsql/client', 'graphql'];

export default defineConfig({
  input: { main: 'src/main.ts', backend: 'src/serve-backend.ts' },
  platform: 'node',
  // A native module; and graphql, of which there is one copy in the process, so that the errors of an operator's
  // plugins are ours. `debug`, of ioredis, looks for a package that is there by chance, for colours.
  external: ['@libsql/client', 'supports-color', /^graphql($|\/)/],
  plugins: [
    {
      // Nothing else of the last build may stay.
      name: 'clean',
      generateBundle({ dir = '' }) {
        const old = existsSync(dir) ? readdirSync(dir) : [];
        for (const name of old.filter((name) => !KEPT.includes(name)))
          rmSync(join(dir, name), { recursive: true });
      },
    },
    {
      // Stacks name our own lines. Maps of everything take 30 MB of a process.
      name: 'no-maps-of-packages',
      transform: {
        filter: { id: /node_modules/ },
        handler: (code) => ({ code, map: { mappings: '' } }),
      },
    },
    {
      // Licences ask that their text goes along with the code.
      name: 'notices',
      generateBundle(_options, bundle) {
        const modules = Object.values(bundle).flatMap((file) =>
          file.type === 'chunk' ? file.moduleIds : [],
        );
        this.emitFile({ type: 'asset', fileName: 'NOTICES.txt', source: noticesOf(modules) });
      },
    },
    {
      // What a server installs: the two packages alone, in the versions of the lock file.
      name: 'package',
      generateBundle() {
        const [manifest, lock] = packageOf();
        const file = (content: object) => `${JSON.stringify(content, undefined, 2)}\n`;
        this.emitFile({ type: 'asset', fileName: 'package.json', source: file(manifest) });
        this.emitFile({ type: 'asset', fileName: 'package-lock.json', source: file(lock) });
        this.emitFile({
          type: 'asset',
          fileName: 'exec.cmd',
          source: readFileSync(new URL('exec.cmd', import.meta.url)),
        });
      },
    },
    {
      // Read by Drizzle when the embedded backend starts, from beside the code that does.
      name: 'migrations',
      generateBundle() {
        const journal = readFileSync(new URL('meta/_journal.json', MIGRATIONS), 'utf8');
        const { entries } = JSON.parse(journal) as { entries: { tag: string }[] };
        for (const file of ['meta/_journal.json', ...entries.map(({ tag }) => `${tag}.sql`)]) {
          const source = readFileSync(new URL(file, MIGRATIONS));
          this.emitFile({ type: 'asset', fileName: `migrations/${file}`, source });
        }
      },
    },
    {
      // A single ’ makes two bytes of every character that Node keeps of a file.
      name: 'one-byte-sources',
      generateBundle(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
        }
      },
    },
  ],
  output: {
    dir: 'dist',
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { jsdoc: false },
  },
});

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly engines: object;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<Record<string, Locked>>;
}

/** The package.json of `dist/`, and its lock file: the part of ours that `PACKAGES` need. */
function packageOf(): readonly [manifest: object, lock: object] {
  const { name, version, license, type, engines, scripts, dependencies } =
    read<Manifest>('package.json');
  const { packages, ...ofLock } = read<LockFile>('package-lock.json');
  const commandOf = (script: string): string => scripts[script]!.replace('dist/', '');
  const own = {
    ...{ name, version, license, private: true, type, engines },
    scripts: { start: commandOf('start'), backend: commandOf('backend') },
    dependencies: Object.fromEntries(PACKAGES.map((one) => [one, dependencies[one]])),
  };
  const needed = new Map<string, Locked>();
  const visit = (from: string, wanted: string): void => {
    const path = foldersOf(from)
      .map((folder) => `${folder}node_modules/${wanted}`)
      .find((one) => one in packages);
    // Optional packages may be missing.
    if (path === undefined || needed.has(path)) return;
    const locked = packages[path]!;
    needed.set(path, locked);
    for (const next of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }))
      visit(`${path}/`, next);
  };
  for (const one of PACKAGES) visit('', one);
  const { scripts: _, ...root } = own;
  const sorted = [...needed].sort(([one], [other]) => (one < other ? -1 : 1));
  return [own, { ...ofLock, packages: { '': root, ...Object.fromEntries(sorted) } }];
}

/** The folders in which a package of a folder is looked for: its own, and those around it. */
function foldersOf(from: string): readonly string[] {
  if (from === '') return [''];
  return [from, ...foldersOf(from.slice(0, from.lastIndexOf('node_modules/')))];
}

/** Reads one of our own JSON files. */
const read = <File>(file: string): File =>
  JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as File;

/** Name, version, licence and its text of every package that a module is of. */
function noticesOf(modules: readonly string[]): string {
  const folders = modules.flatMap(
    (module) =>
      /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module.replaceAll('\\', '/'))?.[0] ?? [],
  );
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      ) as Readonly<Record<string, string>>;
      const texts = readdirSync(folder)
        .filter((file) => /^(?:licen[cs]e|notice)/i.test(file))
        .map((file) => readFileSync(join(folder, file), 'utf8').trim());
      return [`${name} ${version} (${license})`, ...texts].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`);
}
