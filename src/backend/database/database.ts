/**
 * The backend's database: a local file, or a remote database by libSQL.
 *
 * Reads and writes of a local file are serialised on one connection, so no reader sees a partial write and no writer
 * gets SQLITE_BUSY. The queue is free, since SQLite is synchronous here. Of a remote database only writes are
 * serialised.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient, type Client, type Config, type ResultSet } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { OperatorError } from '../../lib/operator-error.ts';
import { rootOf } from '../errors.ts';

/** `npm run build` copies them to its output. */
const MIGRATIONS = { migrationsFolder: fileURLToPath(new URL('migrations', import.meta.url)) };

const OUR_TABLES = ['api_keys', 'publish_operations'];

/** Timeout for locks of other processes, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** Interval of attempts to prepare a locked file, in milliseconds. */
const RETRY_MS = 20;

const BUSY = 5;

const START_TIMEOUT_MS = 10_000;

/** The query interface, without opening, closing and migrations. */
export type Queries = Pick<
  BaseSQLiteDatabase<'async', ResultSet, Record<string, never>>,
  '$count' | 'all' | 'delete' | 'get' | 'insert' | 'run' | 'select' | 'selectDistinct' | 'update'
>;

export interface Database {
  read<Result>(work: (db: Queries) => Promise<Result>): Promise<Result>;
  write<Result>(work: (db: Queries) => Promise<Result>): Promise<Result>;
  /** Waits for pending work, then checkpoints and closes the file. */
  close(): Promise<void>;
}

/** The database cannot be opened, or belongs to another program. The message is one line for operators. */
export class BackendDatabaseError extends OperatorError {
  override readonly name = 'BackendDatabaseError';

  constructor(databaseUrl: string, cause: unknown) {
    const where = withoutSecrets(databaseUrl);
    super(`Cannot use the database ${where}: ${withoutSecrets(describe(cause))}`, { cause });
  }
}

/**
 * Opens and migrates a database.
 *
 * @param databaseUrl `file:…`, `:memory:`, or a remote `libsql://…`.
 * @throws {BackendDatabaseError} if it cannot be used.
 */
export async function openDatabase(databaseUrl: string): Promise<Database> {
  try {
    makeFolderOf(databaseUrl);
    const local = /^(file:|:memory:)/.test(databaseUrl);
    // One connection, since a second one to `:memory:` would be another, empty database.
    const ofLocal = { concurrency: 1, timeout: BUSY_TIMEOUT_MS };
    const config = { url: databaseUrl, ...(local && ofLocal) };
    const client = await retryWhileLocked(config, (opened) => {
      const timeout = sleep(START_TIMEOUT_MS, undefined, { ref: false }).then(() => {
        throw new Error(`no response within ${START_TIMEOUT_MS} ms`);
      });
      return Promise.race([prepare(opened, local), timeout]);
    });
    return databaseOn(client, local);
  } catch (cause) {
    throw new BackendDatabaseError(databaseUrl, cause);
  }
}

/**
 * Retries while another process prepares the same file: SQLite fails without a wait if that process has written since a
 * transaction began, or switches to WAL.
 */
export async function retryWhileLocked(
  config: Config,
  work: (client: Client) => Promise<unknown>,
): Promise<Client> {
  const untilMs = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    // A new one each time, since a failed transaction may leave its connection in the past.
    const client = createClient(config);
    try {
      await work(client);
      return client;
    } catch (error) {
      client.close();
      if (primaryCodeOf(rootOf(error)) !== BUSY || performance.now() > untilMs) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function prepare(client: Client, local: boolean): Promise<void> {
  await rejectForeign(client);
  if (local) {
    await client.execute('PRAGMA journal_mode = WAL');
    // FULL: acknowledged writes survive a power failure, not only a killed process.
    await client.execute('PRAGMA synchronous = FULL');
  }
  const db = drizzle(client);
  await migrate(db, MIGRATIONS);
  const newest = readMigrationFiles(MIGRATIONS).at(-1)?.folderMillis ?? 0;
  const [later] = await db.all(
    sql`SELECT 1 FROM __drizzle_migrations WHERE created_at > ${newest} LIMIT 1`,
  );
  if (later)
    throw new Error(
      'it was written by a newer release. Start that release, or use another database',
    );
  // Fails at start if the database is read-only.
  await db.run(sql`UPDATE __drizzle_migrations SET hash = hash`);
}

/** Rejects databases of other programs before any write. A process killed at its first start leaves no table of ours. */
async function rejectForeign(client: Client): Promise<void> {
  const { rows } = await client.execute(
    `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     AND name <> '__drizzle_migrations' ORDER BY name`,
  );
  const names = rows.map(({ name }) => name as string);
  if (names.length === 0 || OUR_TABLES.every((name) => names.includes(name))) return;
  const shown = names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '');
  throw new Error(`it belongs to another program (tables: ${shown}). Use another database`);
}

function databaseOn(client: Client, local: boolean): Database {
  const db = drizzle(client);
  let last: Promise<unknown> = Promise.resolve();
  // A failure rejects only for its caller.
  const serialize = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    read: (work) => (local ? serialize(() => work(db)) : work(db)),
    write: (work) => serialize(() => db.transaction(work)),
    close: () =>
      serialize(async () => {
        // Makes a copy of the file complete. Other processes do the same at close.
        if (local) await client.execute('PRAGMA wal_checkpoint(TRUNCATE)').catch(() => {});
        client.close();
      }),
  };
}

function makeFolderOf(databaseUrl: string): void {
  if (!databaseUrl.startsWith('file:') || databaseUrl.startsWith('file::memory:')) return;
  const [location = ''] = databaseUrl.split('?');
  const file = location.startsWith('file://')
    ? fileURLToPath(location)
    : decodeURIComponent(location.slice('file:'.length));
  makeFolders(dirname(resolve(file)));
}

/** Not `mkdirSync` with `recursive`, which hangs in Node 20 below `/proc`. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

/** Removes tokens from libSQL URLs in messages of libraries. */
function withoutSecrets(text: string): string {
  return text.replace(/\?\S*/g, '').replace(/\/\/[^/@\s]*@/g, '//');
}

/** Primary result codes whose message in SQLite is too short. */
const WORDS: Readonly<Record<number, string>> = {
  8: 'it is read-only. Check the permissions of the file and its folder',
  14: 'it cannot be opened. Check that its folder exists, and the permissions of both',
};

function describe(error: unknown): string {
  const root = rootOf(error);
  if (!(root instanceof Error)) return String(root);
  return WORDS[primaryCodeOf(root)] ?? root.message.replace(/\s+/g, ' ');
}

/** @returns 0 for other errors than those of SQLite. */
function primaryCodeOf(root: unknown): number {
  const { rawCode, message } = root as { readonly rawCode?: unknown; readonly message?: unknown };
  // Errors of connections have their code only in the message: `ConnectionFailed("…: 14")`.
  const code = rawCode ?? /^ConnectionFailed.*: (\d+)"\)$/s.exec(String(message))?.[1];
  // The last byte of an extended code is the primary code.
  return Number(code) & 0xff;
}
