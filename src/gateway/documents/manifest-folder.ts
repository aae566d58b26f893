/**
 * Reads a folder of manifests synchronously, for commands; the first bad file is an error.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppVersions } from './app-versions.ts';
import { isManifestName, readManifest } from './manifest.ts';

export interface Manifest {
  readonly app: string;
  readonly version: string;
  /** File name without `.json`. */
  readonly name: string;
  /** Texts by id. */
  readonly texts: ReadonlyMap<string, string>;
}

/** @throws {Error} for a folder without manifests, and for an invalid manifest. */
export function readManifests(folder: string): readonly Manifest[] {
  const files = readdirSync(folder).filter(isManifestName).sort();
  if (files.length === 0) throw new Error(`No manifest found in ${folder}.`);
  const versions = new AppVersions();
  return files.map((file) => ({
    ...versions.ofManifest(file),
    name: file.slice(0, -'.json'.length),
    texts: manifestOf(folder, file),
  }));
}

function manifestOf(folder: string, file: string): ReadonlyMap<string, string> {
  try {
    return readManifest(readFileSync(join(folder, file), 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file}: ${reason}`, { cause: error });
  }
}
