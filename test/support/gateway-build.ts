/**
 * The gateway as `npm run build` makes it, so that a test's process starts as fast as a user's.
 *
 * Built once for each state of the sources and kept under node_modules, where its external imports
 * are found.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import config from '../../rolldown.config.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/gateway-build');
const COMMANDS = 'src/app/commands';
const BACKEND_PROCESS = 'test/backend/backend-process.ts';
/** What tests of settings import, as it is bundled. */
const SETTINGS = ['src/app/config.ts', 'src/gateway/settings/setting.ts'];
/** Scripts that tests start again and again, by their names: a bundle starts much faster than `tsx`. */
const SCRIPTS = Object.fromEntries(
  readdirSync(join(ROOT, COMMANDS))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${COMMANDS}/${file}`)
    .concat(BACKEND_PROCESS, SETTINGS)
    .map((path) => [basename(path, '.ts'), path]),
);
/** Packages that few scripts load, and that take as long to bundle as all of the rest. */
const TOOLS = [/^@graphql-codegen\//, 'prettier', 'typescript'];
/** Inputs of the build besides `src/`. */
const RECIPE = [
  'rolldown.config.ts',
  'package.json',
  'package-lock.json',
  'test/support/gateway-build.ts',
  BACKEND_PROCESS,
];

/** The path of its `main.js`. */
export const buildGateway = async (): Promise<string> => join(await buildAll(), 'main.js');

/** The path of its `backend.js`, which `npm run backend` runs. */
export const buildBackend = async (): Promise<string> => join(await buildAll(), 'backend.js');

/** The path of a script next to it, or of a module of the settings. */
export const buildScript = async (name: string): Promise<string> =>
  join(await buildAll(), `${name}.js`);

/** A file of the build, and those that are loaded with it. */
export function loadedWith(main: string): Map<string, string> {
  const loaded = new Map<string, string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    const text = readFileSync(file, 'utf8');
    loaded.set(file, text);
    for (const [, name] of text.matchAll(/^(?:import|export)\b[^;]*?"(\.\/[^"]+\.js)"/gm)) {
      visit(join(dirname(file), name!));
    }
  };
  visit(main);
  return loaded;
}

async function buildAll(): Promise<string> {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(?:client|explorer)\b/.test(file))
    .map((file) => join('src', file));
  const hash = createHash('sha256');
  for (const file of [...sources, ...RECIPE])
    hash.update(file).update(readFileSync(join(ROOT, file)));
  const done = join(CACHE, hash.digest('hex').slice(0, 16));
  if (!existsSync(done)) await buildInto(done);
  return done;
}

async function buildInto(done: string): Promise<void> {
  // Several processes may build at once: each builds its own folder, and one of these stays.
  mkdirSync(CACHE, { recursive: true });
  const making = mkdtempSync(`${done}.`);
  await build({ ...config, cwd: ROOT, output: { ...config.output, dir: making } });
  // A list, as rolldown.config.ts writes it.
  const external = [...(config.external as (string | RegExp)[]), ...TOOLS];
  const output = { dir: making };
  await build({ ...config, external, input: SCRIPTS, plugins: [], cwd: ROOT, output });
  // The page has its own build.
  symlinkSync(join(ROOT, 'dist/explorer'), join(making, 'explorer'), 'junction');
  // Some tests start it as another user.
  chmodSync(making, 0o755);
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
