/**
 * The sample data in a file, made once a run (`globalSetup` of Vitest) and copied for each test that needs it: a
 * copy is twenty times as fast as filling a database.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openBackend,
  type EmbeddedBackend,
  type BackendOptions,
} from '../../src/backend/backend.ts';
import { DEFAULTS } from './settings.ts';

/** The environment variable with the folder, for the processes that run tests. */
const FOLDER = 'SAMPLE_DATABASE_FOLDER';
const ORIGINAL = 'sample.db';

/** Called once a run, for all of its suites; resolves with a function that removes the folder. */
export async function setup(): Promise<(() => void) | undefined> {
  if (process.env[FOLDER] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'sample-database-'));
  process.env[FOLDER] = folder;
  const backend = await openBackend({
    ...DEFAULTS.embedded,
    databaseUrl: `file:${join(folder, ORIGINAL)}`,
  });
  await backend.close();
  return () => rmSync(folder, { recursive: true });
}

export interface SampleDatabase {
  readonly url: string;
  /** To be called when nothing has the database open. */
  remove(): void;
}

let copies = 0;

/** A database with the sample data, that no other test writes to. Outside of Vitest: an empty one in memory. */
export function copySampleDatabase(): SampleDatabase {
  const folder = process.env[FOLDER];
  if (folder === undefined) return { url: ':memory:', remove: () => {} };
  const copy = join(folder, `${process.pid}-${copies++}.db`);
  copyFileSync(join(folder, ORIGINAL), copy);
  return {
    url: `file:${copy}`,
    remove: () => {
      for (const part of ['', '-wal', '-shm']) rmSync(copy + part, { force: true });
    },
  };
}

/** A backend over the sample data, or over the database that the options name. */
export async function openSampleBackend(
  options: Partial<BackendOptions> = {},
): Promise<EmbeddedBackend> {
  const { databaseUrl } = options;
  if (databaseUrl !== undefined)
    return openBackend({ ...DEFAULTS.embedded, ...options, databaseUrl });
  const database = copySampleDatabase();
  const backend = await openBackend({
    ...DEFAULTS.embedded,
    ...options,
    databaseUrl: database.url,
  });
  return {
    ...backend,
    close: async (timeoutMs) => {
      const finished = await backend.close(timeoutMs);
      database.remove();
      return finished;
    },
  };
}
