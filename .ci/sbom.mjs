/**
 * Prints the CycloneDX bill of materials of what is installed without development dependencies.
 *
 * Made from a lock file without them: `npm sbom --omit dev` also leaves out whatever a development dependency needs
 * besides, graphql among it.
 */
import { execSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log('npm run sbom\n\nPrints the bill of materials as CycloneDX. Takes no arguments.');
  process.exit();
}

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const manifest = read('package.json');
const lock = read('package-lock.json');
delete manifest.devDependencies;
delete lock.packages[''].devDependencies;
for (const [path, { dev }] of Object.entries(lock.packages)) if (dev) delete lock.packages[path];

const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  execSync('npm sbom --sbom-format cyclonedx --package-lock-only', {
    cwd: folder,
    stdio: 'inherit',
  });
} finally {
  rmSync(folder, { recursive: true });
}
