/**
 * Packages that a folder of tests brings, apart from the product: they are installed by `npm ci` in that folder, and
 * its tests are skipped without them.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @param testFile `import.meta.url` of a file of the folder.
 * @returns the `require` of the folder, or undefined where its packages are not installed.
 */
export function packagesOf(testFile: string): NodeJS.Require | undefined {
  const folder = fileURLToPath(new URL('.', testFile));
  if (existsSync(new URL('node_modules', testFile))) return createRequire(`${folder}package.json`);
  const name = relative(process.cwd(), folder).split(sep).join('/');
  process.stderr.write(
    `The packages of ${name} are not installed (npm ci there): their tests are skipped.\n`,
  );
  return undefined;
}
