/**
 * `src/main.ts` and what it imports → a few files in `dist/`, run by `npm run build`.
 *
 * Seven hundred modules in one file are read in half the time. What is loaded only when it is needed
 * (the embedded backend, GraphiQL) stays a file of its own.
 */
import { defineConfig } from 'rolldown';

export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  // A native module, and a page of 9 MB that is text anyway.
  external: ['@libsql/client', '@graphql-yoga/render-graphiql'],
  plugins: [
    {
      // Stacks name our own lines. Maps of everything take 30 MB of a process.
      name: 'no-maps-of-packages',
      transform: {
        filter: { id: /node_modules/ },
        handler: (code) => ({ code, map: { mappings: '' } }),
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
    cleanDir: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { jsdoc: false },
  },
});

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
