/** The scripts of `package.json` run in every shell, cmd.exe of Windows among them. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

it.each(Object.entries(scripts))(
  '%s is commands of npm, of Node or of a package',
  (_name, script) => {
    for (const command of script.split(' && ')) {
      const [program = '', ...given] = command.split(' ');
      const isPackage = existsSync(join(ROOT, 'node_modules/.bin', program));
      expect(['npm', 'node'].includes(program) || isPackage, command).toBe(true);
      // What stands between double quotes is a word in every shell.
      const bare = given.join(' ').replace(/"[^"]*"/g, '');
      expect(bare, command).toMatch(/^[\w ./:=@-]*$/);
      for (const file of given.map((word) => join(ROOT, word))) {
        if (!existsSync(file) || !statSync(file).isFile()) continue;
        expect(readFileSync(file, 'utf8')).not.toMatch(/^#!.*sh/);
      }
    }
  },
);
