/**
 * Builds `dist/`: `npm run build`, and `npm ci` where the sources are. `gateway` or `explorer` builds that part alone.
 *
 * Plain JavaScript, because it runs before anything is built, on every system and without development dependencies.
 * Without Vite, which is one, GraphiQL's page is left out.
 */
import { rolldown } from 'rolldown';
import { loadConfig } from 'rolldown/config';

const [only] = process.argv.slice(2);

if (only !== 'explorer') await buildGateway();
if (only !== 'gateway') await buildExplorer();

async function buildGateway() {
  const { output, ...input } = await loadConfig('rolldown.config.ts');
  const bundle = await rolldown(input);
  await bundle.write(output);
  await bundle.close();
}

async function buildExplorer() {
  const vite = await import('vite').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
  await vite?.build({ configFile: 'src/explorer/vite.config.ts' });
}
