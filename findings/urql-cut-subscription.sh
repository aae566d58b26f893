#!/usr/bin/env bash
# urql: a subscription by `fetchSubscriptions: true` whose stream is cut ends as if the server had completed it.
#
# GraphQL over SSE ends a subscription with the event `complete`. A stream that ends without it was cut, as by a deploy
# of the server or a proxy's time-out. urql reports neither an error nor anything else, and does not connect again.
set -euo pipefail
VERSION=6.0.3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund "@urql/core@$VERSION" graphql@16.15.0
cat > finding.mjs <<'JS'
import { Client, fetchExchange } from '@urql/core';

let requests = 0;
const client = new Client({
  url: 'http://localhost/graphql',
  preferGetMethod: false,
  fetchSubscriptions: true,
  exchanges: [fetchExchange],
  fetch: async () => {
    requests += 1;
    return new Response('event: next\ndata: {"data":{"count":1}}\n\n', {
      headers: { 'content-type': 'text/event-stream' },
    });
  },
});
const results = [];
client.subscription('subscription { count }', {}).subscribe((result) => results.push(result));
await new Promise((resolve) => setTimeout(resolve, 3_000));
const said = results.some(({ error }) => error) ? 'an error' : requests > 1 ? 'another request' : 'nothing';
console.log('expected: an error, or another request\nactual:  ', said);
process.exit(said === 'nothing' ? 0 : 1);
JS
echo "@urql/core $VERSION"
node finding.mjs
