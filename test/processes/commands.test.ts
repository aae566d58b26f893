/** Rules of all commands, and commands without their own test file. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { buildBackend, buildGateway, buildScript } from '../support/gateway-build.ts';
import { ROOT } from '../support/pages.ts';

const run = promisify(execFile);

const { scripts: SCRIPTS } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Words of a script that load its file. */
const LOADERS = new Set(['node', 'tsx', '--import']);

const TSX = ['--import', import.meta.resolve('tsx')];

/** The arguments of Node that start the file of a script; a built one starts much faster than by `tsx`. */
const starts = async (file: string): Promise<string[]> => {
  if (file.endsWith('.mjs')) return [join(ROOT, file)];
  if (file.startsWith('src/app/commands/')) return [await buildScript(basename(file, '.ts'))];
  return [...TSX, join(ROOT, file)];
};

const runScript = async (
  script: Parameters<typeof buildScript>[0],
  args: readonly string[],
  cwd = ROOT,
) => (await run(process.execPath, [await buildScript(script), ...args], { cwd })).stdout;

describe('--help', { timeout: 120_000 }, () => {
  /** Scripts that run a source file of this project, not the command of a package or a build. */
  const own = Object.entries(SCRIPTS).filter(([, script]) =>
    /^(?:node|node --import tsx|tsx) [\w.]+\/\S+\.(?:ts|mjs)\b/.test(script),
  );

  it.each(own)('of npm run %s prints its usage and writes no file', async (name, script) => {
    const [file = '', ...given] = script.split(' ').filter((word) => !LOADERS.has(word));
    const folder = openFolder();

    const { stdout, stderr } = await run(
      process.execPath,
      [...(await starts(file)), ...given, '--help'],
      { cwd: folder },
    );

    expect(stdout).toMatch(new RegExp(`^npm run ${name.replace(/^build:.*/, 'build')}\\b`));
    expect(stdout.split('\n').length).toBeLessThan(15);
    expect(stderr).toBe('');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['npm start', buildGateway],
    ['npm run backend', buildBackend],
    ['npm run codegen', () => buildScript('generate')],
  ])('of %s lists no arguments, and the command rejects one', async (name, build) => {
    const file = await build();

    const { stdout } = await run(process.execPath, [file, '--help'], { cwd: ROOT });
    const refused = run(process.execPath, [file, '--port=1'], { cwd: ROOT });

    expect(stdout).toMatch(new RegExp(`^${name}\n[^]*Takes\\s+no\\s+arguments`));
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Unknown argument --port=1. See --help.\n',
    });
  });

  it.each([
    ['main.js', buildGateway],
    ['backend.js', buildBackend],
  ])(
    'of node dist/%s lists the settings, and --version prints the version',
    async (_file, build) => {
      const file = await build();
      const folder = openFolder();
      const lines = async (option: string) =>
        (await run(process.execPath, [file, option], { cwd: folder })).stdout.split('\n');

      expect(await lines('--help')).toEqual(
        expect.arrayContaining([
          '  PORT (4000)',
          '    Port to listen on. 0 picks a free port.',
          '  BACKEND_DATABASE_URL_FILE (unset)',
          expect.stringMatching(/^ {2}LOG_LEVEL \(info\)$/),
        ]),
      );
      expect(await lines('--version')).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/), '']);
    },
  );

  it('of npm run client packs nothing, and the command rejects an unknown option', async () => {
    expect(await runScript('pack-client', ['--help'])).toMatch(/^npm run client -- \[folder\]/);
    await expect(runScript('pack-client', ['--out'])).rejects.toThrow("Unknown option '--out'");

    expect(readdirSync(ROOT)).not.toContain('--help');
  });
});

it('npm run plan -- --manifest prints the cost of each document of a manifest', async () => {
  const screen = 'query Screen($id: ID!) { page(pageId: $id) { name } }';
  const folder = openFolder({
    'ios-4.2.json': { one: screen, two: 'query Topics { topics { totalCount } }' },
  });

  const output = await runScript('print-plan', ['--manifest', join(folder, 'ios-4.2.json')]);

  expect(output.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['document', 'id', 'calls', 'rounds', 'values'],
    ['Screen', 'one', '1', '1', expect.any(String)],
    ['Topics', 'two', '1', '1', expect.any(String)],
    [''],
  ]);
});
