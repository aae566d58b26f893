/**
 * The backend's database: a local file, or a remote one by libSQL.
 *
 * Reads and writes of a local file take turns on one connection, so no reader sees half a write and no writer meets
 * SQLITE_BUSY; SQLite works synchronously here, so the queue costs nothing. Of a remote database only writes queue.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient, type Client, type ResultSet } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { rootOf } from '../errors/failure.ts';

/** `npm run build` copies them beside what it builds. */
const MIGRATIONS = { migrationsFolder: fileURLToPath(new URL('migrations', import.meta.url)) };

/** Where Drizzle keeps which migrations a database has had. */
const MIGRATIONS_TABLE = '__drizzle_migrations';

/** Where the first release kept them. */
const FIRST_RELEASE_MIGRATIONS = 'backend_migrations';

/** How long a statement waits for another process that holds the file, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** How long a remote database may take to answer at start, in milliseconds. */
const START_TIMEOUT_MS = 10_000;

/** What queries are written against; none of them can open, close or migrate anything. */
export type Queries = Pick<
  BaseSQLiteDatabase<'async', ResultSet, Record<string, never>>,
  '$count' | 'all' | 'delete' | 'get' | 'insert' | 'run' | 'select' | 'selectDistinct' | 'update'
>;

export interface Database {
  /** Runs queries that belong together and change nothing. */
  read<Answer>(work: (db: Queries) => Promise<Answer>): Promise<Answer>;
  /** Runs queries as one transaction: all of it is kept, or nothing. */
  write<Answer>(work: (db: Queries) => Promise<Answer>): Promise<Answer>;
  /** Waits for what is under way, then closes the file, which then holds everything. */
  close(): Promise<void>;
}

/** The database cannot be opened, or is not ours. The message is one line, fit for an operator. */
export class BackendDatabaseError extends Error {
  override readonly name = 'BackendDatabaseError';

  constructor(databaseUrl: string, cause: unknown) {
    const where = withoutSecrets(databaseUrl);
    super(`Cannot use the database ${where}: ${withoutSecrets(inWords(cause))}`, { cause });
  }
}

/**
 * Opens a database and brings it to the newest shape.
 *
 * @param databaseUrl `file:…`, `:memory:`, or a remote `libsql://…`.
 * @throws {BackendDatabaseError} when it cannot be used.
 */
export async function openDatabase(databaseUrl: string): Promise<Database> {
  let client: Client | undefined;
  try {
    makeFolderOf(databaseUrl);
    const local = /^(file:|:memory:)/.test(databaseUrl);
    // One connection: a second one to `:memory:` would be a second, empty database.
    const ofLocal = { concurrency: 1, timeout: BUSY_TIMEOUT_MS };
    client = createClient({ url: databaseUrl, ...(local && ofLocal) });
    const late = sleep(START_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error(`no answer within ${START_TIMEOUT_MS} ms`);
    });
    await Promise.race([prepare(client, local), late]);
    return databaseOn(client, local);
  } catch (cause) {
    client?.close();
    throw new BackendDatabaseError(databaseUrl, cause);
  }
}

async function prepare(client: Client, local: boolean): Promise<void> {
  await refuseForeign(client);
  if (local) {
    await client.execute('PRAGMA journal_mode = WAL');
    // FULL: what has been answered for survives a power cut, not only a killed process.
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
      'it was written by a newer release: start that release, or name another database',
    );
  // Fails at start where the database can be read but not written.
  await db.run(sql`UPDATE __drizzle_migrations SET hash = hash`);
}

/** Refuses another program's database, before anything is written to it. */
async function refuseForeign(client: Client): Promise<void> {
  const { rows } = await client.execute(
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  );
  const names = rows.map(({ name }) => name as string);
  const foreign = names.filter((name) => name !== MIGRATIONS_TABLE);
  // A process that was killed at its first start leaves the table of migrations behind.
  if (foreign.length === 0) return;
  if (names.includes(FIRST_RELEASE_MIGRATIONS)) return;
  if (names.includes(MIGRATIONS_TABLE) && (await hasMigrationOfOurs(client))) return;
  const shown = foreign.slice(0, 3).join(', ') + (foreign.length > 3 ? ', …' : '');
  throw new Error(`it is another program's (its tables: ${shown}): name another database`);
}

/** Other programs that use Drizzle keep a table of the same name. */
async function hasMigrationOfOurs(client: Client): Promise<boolean> {
  const sql = `SELECT 1 FROM ${MIGRATIONS_TABLE} WHERE created_at = ?`;
  const args = [readMigrationFiles(MIGRATIONS)[0]!.folderMillis];
  return (await client.execute({ sql, args })).rows.length > 0;
}

function databaseOn(client: Client, local: boolean): Database {
  const db = drizzle(client);
  const alone = createQueue();
  return {
    read: (work) => (local ? alone(() => work(db)) : work(db)),
    write: (work) => alone(() => db.transaction(work)),
    close: () =>
      alone(async () => {
        // So that a copy of the file is complete. Other processes that read it do the same when they close.
        if (local) await client.execute('PRAGMA wal_checkpoint(TRUNCATE)').catch(() => {});
        client.close();
      }),
  };
}

/** A queue that runs one piece of work at a time, in order. A failure rejects for its caller only. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
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

/** Step by step: `mkdirSync` of Node 20 with `recursive` never returns where `/proc` refuses it. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it since.
    if (!existsSync(folder)) throw error;
  }
}

/** A libSQL URL may carry a token in its query or its user name, and libraries repeat it. */
function withoutSecrets(text: string): string {
  return text.replace(/\?\S*/g, '').replace(/\/\/[^/@\s]*@/g, '//');
}

/** SQLite's primary result codes that an operator can do something about. */
const WORDS: Readonly<Record<number, string>> = {
  5: 'another process is writing to it',
  8: 'it cannot be written: check the permissions of the file and its folder',
  10: 'reading or writing it failed (I/O error)',
  11: 'its content is damaged',
  13: 'the disk is full',
  14: 'it cannot be opened: check that its folder exists, and the permissions of both',
  26: 'the file is not a database',
};

function inWords(error: unknown): string {
  const root = rootOf(error);
  if (!(root instanceof Error)) return String(root);
  // Failed connections have their code in the message only: `ConnectionFailed("…: 14")`.
  const code =
    'rawCode' in root && typeof root.rawCode === 'number'
      ? root.rawCode
      : Number(/^ConnectionFailed.*: (\d+)"\)$/s.exec(root.message)?.[1]);
  // An extended code has the primary one in its last byte.
  return WORDS[code & 0xff] ?? root.message.replace(/\s+/g, ' ');
}
