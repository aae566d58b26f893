/** The database: its tables, older files, and errors in one line when it cannot be used. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createClient } from '@libsql/client';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, it } from 'vitest';
import { openBackend } from '../../src/backend/backend.ts';
import { BackendDatabaseError } from '../../src/backend/database/database.ts';
import { retryWhileLocked } from '../../src/backend/database/database.ts';
import * as tables from '../../src/backend/database/tables.ts';
import { openTestBackend, temporaryDatabase } from './support.ts';
import { freePort } from '../support/free-port.ts';
import { DEFAULTS } from '../support/settings.ts';

it('migrates to the tables and columns that tables.ts declares', async () => {
  const databaseUrl = temporaryDatabase();
  const { close } = await openTestBackend({ databaseUrl });
  await close();
  const client = createClient({ url: databaseUrl });

  const declared = Object.values(tables).filter((value) => is(value, SQLiteTable));
  expect(declared.length).toBeGreaterThan(5);
  for (const table of declared) {
    const { name, columns } = getTableConfig(table);
    const stored = await client.execute(`PRAGMA table_info(${name})`);

    expect(stored.rows.map((row) => [row['name'], row['type'], Boolean(row['notnull'])])).toEqual(
      columns.map((column) => [column.name, column.getSQLType().toUpperCase(), column.notNull]),
    );
  }
  client.close();
});

it('lists every migration file in ascending order of time, since Drizzle skips a migration that is out of order', () => {
  const folder = new URL('../../src/backend/database/migrations/', import.meta.url);
  const { entries } = JSON.parse(readFileSync(new URL('meta/_journal.json', folder), 'utf8')) as {
    readonly entries: readonly { readonly when: number; readonly tag: string }[];
  };
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));

  const times = entries.map(({ when }) => when);
  expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
  expect(entries.map(({ tag }) => `${tag}.sql`)).toEqual(files.sort());
});

it('opens and writes to a database of the first release, which had other migrations', async () => {
  const databaseUrl = temporaryDatabase();
  mkdirSync(dirname(databaseUrl.slice('file:'.length)));
  const client = createClient({ url: databaseUrl });
  await client.executeMultiple(readFileSync(new URL('first-release.sql', import.meta.url), 'utf8'));
  client.close();

  for (let starts = 0; starts < 2; starts++) {
    const { call, close } = await openTestBackend({ databaseUrl });
    const found = await call('/v0/pages/search');
    const made = await call('/v0/pages/page_0hoeak9bu3ceeb354/audiences', {
      method: 'POST',
      body: { publishBehavior: 'draft' },
    });
    await close();

    expect(found.body.items.map(({ name }: { name: string }) => name)).toEqual(['Kept']);
    expect(made.status).toBe(201);
  }
});

it('does not listen when it cannot resume the work that an earlier process left', async () => {
  const databaseUrl = temporaryDatabase();
  const { close } = await openTestBackend({ databaseUrl });
  await close();
  const client = createClient({ url: databaseUrl });
  await client.execute('DROP TABLE audience_versions');
  client.close();
  const port = await freePort();

  await expect(openTestBackend({ databaseUrl, port })).rejects.toThrow();

  await expect(fetch(`http://127.0.0.1:${port}/v0/topics`)).rejects.toThrow();
});

it('keeps its file in WAL mode', async () => {
  const databaseUrl = temporaryDatabase();
  await openTestBackend({ databaseUrl });
  const client = createClient({ url: databaseUrl });

  const { rows } = await client.execute('PRAGMA journal_mode');

  expect(rows[0]?.['journal_mode']).toBe('wal');
  client.close();
});

it('retries the preparation of a file when another process has written to it meanwhile', async () => {
  const url = temporaryDatabase();
  mkdirSync(dirname(url.slice('file:'.length)));
  const other = createClient({ url });
  await other.executeMultiple('PRAGMA journal_mode = WAL; CREATE TABLE t (by TEXT)');
  let attempts = 0;

  const client = await retryWhileLocked({ url }, async (own) => {
    attempts += 1;
    const transaction = await own.transaction('deferred');
    await transaction.execute('SELECT * FROM t');
    if (attempts === 1) await other.execute("INSERT INTO t VALUES ('other')");
    await transaction.execute("INSERT INTO t VALUES ('own')");
    await transaction.commit();
  });

  const { rows } = await client.execute('SELECT * FROM t');
  expect(rows.map(({ by }) => by)).toEqual(['other', 'own']);
  expect(attempts).toBe(2);
  client.close();
  other.close();
});

it.each([
  ['a folder that cannot be made', `file:${import.meta.filename}/none/backend.db`],
  ['an unknown scheme', 'mysql://localhost/pages'],
  ['a string that is no URL', 'backend'],
  ['a server that refuses connections', 'http://127.0.0.1:1/'],
])('reports in one line that it cannot use %s', async (_, databaseUrl) => {
  const error: unknown = await openBackend({ ...DEFAULTS.embedded, databaseUrl }).catch(
    (thrown: unknown) => thrown,
  );

  expect(error).toBeInstanceOf(BackendDatabaseError);
  expect(String(error)).toContain(` ${databaseUrl}: `);
  expect(String(error)).not.toContain('\n');
});

it.each([
  ['libsql://127.0.0.1:1?authToken=s3cret&tls=0', 'libsql://127.0.0.1:1'],
  ['http://user:s3cret@127.0.0.1:1/db?authToken=s3cret', 'http://127.0.0.1:1/db'],
])('omits the password and token of %s from its error', async (databaseUrl, shown) => {
  const error: unknown = await openBackend({ ...DEFAULTS.embedded, databaseUrl }).catch(
    (thrown: unknown) => thrown,
  );

  expect(error).toBeInstanceOf(BackendDatabaseError);
  expect(String(error)).toContain(` ${shown}: `);
  expect(String(error)).not.toContain('s3cret');
});

it('reports that a file is not a database', async () => {
  const databaseUrl = temporaryDatabase();
  const file = databaseUrl.slice('file:'.length);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'This is a letter and not a database. '.repeat(40));

  const error: unknown = await openBackend({ ...DEFAULTS.embedded, databaseUrl }).catch(
    (thrown: unknown) => thrown,
  );

  expect(error).toBeInstanceOf(BackendDatabaseError);
  expect(String(error)).toContain('not a database');
});

it('rejects a database that a newer release has written', async () => {
  const databaseUrl = temporaryDatabase();
  const { close } = await openTestBackend({ databaseUrl });
  await close();
  const client = createClient({ url: databaseUrl });
  await client.execute(
    "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', 9999999999999)",
  );
  client.close();

  await expect(openBackend({ ...DEFAULTS.embedded, databaseUrl })).rejects.toThrow(/\bnewer\b/);
});

it.each([
  ['its own tables', ['CREATE TABLE invoices (id integer)', 'CREATE TABLE users (id integer)']],
  [
    'a table with the name of ours and migrations of Drizzle',
    [
      'CREATE TABLE pages (id integer)',
      'CREATE TABLE __drizzle_migrations (id integer, hash text, created_at numeric)',
      "INSERT INTO __drizzle_migrations VALUES (1, 'theirs', 1700000000000)",
    ],
  ],
])(
  "rejects another program's database without writing to the file: %s",
  async (_what, statements) => {
    const databaseUrl = temporaryDatabase();
    const file = databaseUrl.slice('file:'.length);
    mkdirSync(dirname(file));
    const client = createClient({ url: databaseUrl });
    await client.batch(statements);
    client.close();
    const before = readFileSync(file);

    await expect(openBackend({ ...DEFAULTS.embedded, databaseUrl })).rejects.toThrow(
      /\(tables: (?:invoices, users|pages)\)/,
    );

    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  },
);

it('fails with EADDRINUSE when its port is in use', async () => {
  const { port } = await openTestBackend();

  await expect(
    openBackend({ ...DEFAULTS.embedded, databaseUrl: ':memory:', port }),
  ).rejects.toThrow('EADDRINUSE');
});
