/** The scripts of `package.json`, and the files that they run, work in every shell, cmd.exe of Windows included. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { scripts, allowScripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
};

/** Tests of `npm run test:system` and beyond, which run programs of POSIX, and this file. */
const APART =
  /^test\/(?:bench|browser|clients|deploy|faults|fleet|load|processes|scripts\.test|support|extensions\/(?:federation|redis)|gateway\/process\.test|backend\/restart)/;

it.each(Object.entries(scripts))(
  'the script %s runs npm, Node and packages, with syntax that every shell supports',
  (_name, script) => {
    for (const command of script.split(' && ')) {
      // `exec` is a batch file where the shell has none.
      const [program = '', ...given] = command.replace(/^exec /, '').split(' ');
      const isPackage = existsSync(join(ROOT, 'node_modules/.bin', program));
      expect(['npm', 'node'].includes(program) || isPackage, command).toBe(true);
      // Text in double quotes is one word in every shell, except for variables.
      expect(command.match(/"[^"]*"/g)?.join('') ?? '', command).not.toMatch(/[$`%\\]/);
      const bare = given.join(' ').replace(/"[^"]*"/g, '');
      expect(bare, command).toMatch(/^[\w ./:=@-]*$/);
      for (const file of given.map((word) => join(ROOT, word))) {
        if (!existsSync(file) || !statSync(file).isFile()) continue;
        expect(readFileSync(file, 'utf8')).not.toMatch(/^#!.*sh/);
      }
    }
  },
);

it('npm ci warns about no install script: each is allowed or denied', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
  };

  const withScripts = Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => path && hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));

  expect([...new Set(withScripts)].sort()).toEqual(Object.keys(allowScripts).sort());
});

/** The files of this repository that `npm ci`, `npm run build`, `npm start` and `npm test` read. */
const read = ['src', 'test']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file.replaceAll('\\', '/')}`,
    ),
  )
  .filter((file) => /\.(?:mjs|tsx?)$/.test(file) && !/\/node_modules\//.test(file))
  .filter((file) => !APART.test(file))
  .concat('rolldown.config.ts', 'vitest.config.ts', 'codegen.ts');

it.each([
  ['a POSIX path', /['"`]\/(?:bin|dev|etc|proc|tmp|usr|var)\//],
  ['a POSIX shell command', /\b(?:spawn|exec(?:File)?)(?:Sync)?\(\s*['"](?:ba)?sh\b|['"]which['"]/],
  ['the pathname of a file URL', /import\.meta\.url\)\.pathname/],
  ['a symbolic link that needs a privilege on Windows', /symlinkSync\([^;]*(?<!'junction')\);/],
])('no file for the build, the start or the tests uses %s', (_what, pattern) => {
  const taking = read.filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')));

  expect(taking).toEqual([]);
});
