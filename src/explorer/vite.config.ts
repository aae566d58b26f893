/** `src/explorer/` → `dist/explorer/`: the page, and its hashed files, each by br and gzip too. */
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const COMPRESSIBLE = /\.(?:js|css|ttf)$/;

/** Levels 10 and 11 save a tenth of the bytes and double the time of the build. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Compressed once, at build, so that the server only reads files. */
const compressed = (): Plugin => ({
  name: 'compressed-files',
  async writeBundle({ dir }) {
    const files = readdirSync(dir!, { recursive: true, encoding: 'utf8' });
    await Promise.all(
      files
        .filter((file) => COMPRESSIBLE.test(file))
        .map(async (file) => {
          const path = join(dir!, file);
          const bytes = await readFile(path);
          await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, BROTLI));
          await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
        }),
    );
  },
});

const TOOLKIT = join(import.meta.dirname, 'page/toolkit.ts');

const ownToolkit = (): Plugin => ({
  name: 'own-toolkit',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^@graphiql\/toolkit$/ },
    handler: (_id, importer) => (importer === TOOLKIT ? undefined : TOOLKIT),
  },
});

/**
 * GraphiQL's style sheet holds 300 kB of fonts: the page uses those of the system, and the editor brings its own icons.
 */
const withoutFonts = (): Plugin => ({
  name: 'without-fonts',
  enforce: 'pre',
  transform: {
    filter: { id: /graphi?ql.*\.css$/ },
    handler: (code) => code.replace(/@font-face\s*\{[^}]*(?:Roboto|Fira Code|codicon)[^}]*\}/g, ''),
  },
});

/** Inputs in the pane of fields focus themselves when they appear: here only if the focus is in the pane already. */
const quietFields = (): Plugin => ({
  name: 'quiet-fields',
  enforce: 'pre',
  transform: {
    filter: { id: /graphiql-explorer/ },
    handler: (code) =>
      code.replace(
        'activeElement && !(activeElement instanceof HTMLTextAreaElement)',
        "activeElement?.closest('.fields-panel')",
      ),
  },
});

export default defineConfig({
  root: import.meta.dirname,
  // The server writes the base path into the page; files name each other by relative URLs.
  base: './',
  logLevel: 'warn',
  plugins: [ownToolkit(), withoutFonts(), quietFields(), compressed()],
  worker: { format: 'es' },
  build: {
    outDir: '../../dist/explorer',
    emptyOutDir: true,
    // A folder without the page: the server serves all of it.
    assetsDir: 'files',
    target: 'es2022',
    chunkSizeWarningLimit: 4_000,
    // Inlined fonts would be loaded whether or not they are used.
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { pluginTimings: false },
      onLog(level, log, handler) {
        // "use client" has no meaning without React Server Components.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handler(level, log);
      },
    },
  },
});
