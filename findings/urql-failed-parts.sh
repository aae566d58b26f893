#!/usr/bin/env bash
# urql: the errors of a deferred fragment that failed as a whole are lost in the newer format of incremental delivery.
#
# There, a part that could not be delivered is an entry of `completed` with `errors`. urql drops the entry: the result
# ends without the fragment's data, and without an error.
set -euo pipefail
VERSION=6.0.3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund "@urql/core@$VERSION" graphql@16.15.0
cat > finding.mjs <<'JS'
import { Client, fetchExchange } from '@urql/core';

const parts = [
  { data: { page: { name: 'A page' } }, pending: [{ id: '0', path: ['page'] }], hasNext: true },
  {
    completed: [{ id: '0', errors: [{ message: 'The owner failed.', path: ['page', 'owner'] }] }],
    hasNext: false,
  },
];
const body =
  parts.map((part) => `\r\n---\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(part)}`).join('') +
  '\r\n-----\r\n';
const client = new Client({
  url: 'http://localhost/graphql',
  preferGetMethod: false,
  exchanges: [fetchExchange],
  fetch: async () =>
    new Response(body, {
      headers: { 'content-type': 'multipart/mixed; boundary="-"; incrementalSpec=v0.2' },
    }),
});
const last = await new Promise((resolve) => {
  client
    .query('{ page { name ... @defer { owner } } }', {})
    .subscribe((result) => !result.hasNext && resolve(result));
});
console.log('expected: [GraphQL] The owner failed.\nactual:  ', String(last.error?.message ?? 'no error'));
process.exit(last.error ? 1 : 0);
JS
echo "@urql/core $VERSION"
node finding.mjs
