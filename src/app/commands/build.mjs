/**
 * Builds `dist/`: `npm run build`, and `npm ci` where the sources are. `gateway` or `explorer` builds that part alone.
 *
 * Plain JavaScript, because it runs before anything is built, without development dependencies. Without Vite, which is
 * one of them, the GraphiQL page is omitted.
 */
import { rolldown } from 'rolldown';
import { loadConfig } from 'rolldown/config';

const HELP = `npm run build -- [gateway | explorer]

Builds dist/: the gateway with its embedded backend, and the GraphiQL page, or only the given part.`;

const PARTS = { gateway: buildGateway, explorer: buildExplorer };

const given = process.argv.slice(2);
const unknown = given.find((part) => !Object.hasOwn(PARTS, part));
if (given.includes('--help') || given.includes('-h')) {
  console.log(HELP);
} else if (unknown !== undefined) {
  console.error(`Unknown argument ${unknown}. See --help.`);
  process.exitCode = 1;
} else {
  for (const part of given.length > 0 ? given : Object.keys(PARTS)) await PARTS[part]();
}

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
