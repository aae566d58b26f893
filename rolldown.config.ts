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

/** Below `dist/`, as `src/explorer/vite.config.ts` says. */
const EXPLORER = 'explorer';

export default defineConfig({
  input: { main: 'src/main.ts', backend: 'src/serve-backend.ts' },
  platform: 'node',
  // A native module; and graphql, of which there is one copy in the process, so that the errors of an operator's
  // plugins are ours. `debug`, of ioredis, looks for a package that is there by chance, for colours.
  external: ['@libsql/client', 'supports-color', /^graphql($|\/)/],
  plugins: [
    {
      // Of the last build nothing may stay but GraphiQL's page, which has a build of its own.
      name: 'clean-but-for-the-page',
      generateBundle({ dir = '' }) {
        const old = existsSync(dir) ? readdirSync(dir) : [];
        for (const name of old.filter((name) => name !== EXPLORER))
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
