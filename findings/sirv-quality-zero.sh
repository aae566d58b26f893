#!/usr/bin/env bash
# sirv: a coding that a client refuses with `q=0` is sent all the same. RFC 9110, section 12.4.2: zero is "not acceptable".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund sirv@3.0.2 >/dev/null
cat >repro.mjs <<'EOF2'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { gzipSync } from 'node:zlib';
import sirv from 'sirv';

const { version } = JSON.parse(readFileSync('node_modules/sirv/package.json', 'utf8'));
mkdirSync('public');
writeFileSync('public/a.js', 'export {};');
writeFileSync('public/a.js.gz', gzipSync('export {};'));
const server = createServer(sirv('public', { gzip: true })).listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  const headers = { 'accept-encoding': 'gzip;q=0' };
  get({ host: '127.0.0.1', port, path: '/a.js', headers }, (response) => {
    const coding = response.headers['content-encoding'] ?? 'none';
    console.log(`sirv ${version}, Node ${process.versions.node}; Accept-Encoding: gzip;q=0`);
    console.log('expected: the file without a coding');
    console.log(`actual:   Content-Encoding: ${coding}`);
    process.exitCode = coding === 'gzip' ? 0 : 1;
    response.resume();
    server.close();
    server.closeIdleConnections();
  });
});
EOF2
node repro.mjs
