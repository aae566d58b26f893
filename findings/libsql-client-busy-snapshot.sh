#!/usr/bin/env bash
# @libsql/client: after one transaction has failed with SQLITE_BUSY_SNAPSHOT and was rolled back, its client stays in the
# old snapshot. Every later write of the client fails with SQLITE_BUSY, and its reads never see what others write.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @libsql/client@0.18.0 >/dev/null
cat >repro.mjs <<'EOF'
import { readFileSync } from 'node:fs';
import { createClient } from '@libsql/client';

const { version } = JSON.parse(readFileSync('node_modules/@libsql/client/package.json', 'utf8'));
const url = 'file:shared.db';
const [one, other] = [createClient({ url }), createClient({ url })];
await one.executeMultiple('PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER)');

const transaction = await one.transaction('deferred');
await transaction.execute('SELECT * FROM t');
await other.execute('INSERT INTO t VALUES (1)');
// Fails as SQLite documents it: another connection has written since the transaction began to read.
const first = await transaction.execute('INSERT INTO t VALUES (2)').then(
  () => 'succeeded',
  ({ code, cause }) => `failed with ${cause?.code ?? code}`,
);
await transaction.rollback();
transaction.close();

const again = await one.execute('INSERT INTO t VALUES (3)').then(
  () => 'succeeds',
  ({ code }) => `fails with ${code}`,
);
const seen = Number((await one.execute('SELECT count(*) AS rows FROM t')).rows[0].rows);
const stored = Number((await other.execute('SELECT count(*) AS rows FROM t')).rows[0].rows);
console.log(`@libsql/client ${version}, Node ${process.versions.node}; the first write ${first}`);
console.log('expected: after the rollback the next write succeeds, and the client sees both rows');
console.log(`actual:   the next write ${again}, and the client sees ${seen} of ${stored} stored rows`);
process.exitCode = again === 'succeeds' && seen === stored ? 1 : 0;
EOF
node repro.mjs
