#!/usr/bin/env bash
# Node: a closure that is assigned to a property is born in V8's old generation, and keeps each request and response of
# an HTTP server until the next full collection.
#
# Until its function is optimized, V8 allocates `job.stop = () => …` as a long-lived object, whatever it refers to.
# Scavenges, which should remove a request once it has been answered, therefore promote it. With a name first,
# `const stop = () => …; job.stop = stop`, nothing is promoted.
set -euo pipefail
VERSION=24.11.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund "node@$VERSION"
cat > server.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { getHeapSpaceStatistics } from 'node:v8';

const REQUESTS = 2_000;
const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size;

class Exchange {
  constructor(response) {
    const job = { stop: undefined };
    if (process.argv[2] === 'assigned') {
      job.stop = () => response.destroy();
    } else {
      const stop = () => response.destroy();
      job.stop = stop;
    }
    response.on('close', () => (job.stop = undefined));
    response.end('{}');
  }
}

const server = createServer((_request, response) => void new Exchange(response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const socket = connect(server.address().port, '127.0.0.1');

async function ask(number) {
  for (let i = 0; i < number; i++) {
    socket.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    await once(socket, 'data');
    if (i % 100 === 0) for (let k = 0; k < 2; k++) gc({ type: 'minor' });
  }
}

await ask(1_000);
const before = oldBytes();
await ask(REQUESTS);
console.log(Math.round((oldBytes() - before) / REQUESTS));
process.exit();
JS
run() { node_modules/.bin/node --expose-gc --initial-old-space-size=500 server.mjs "$1"; }
named=$(run named)
assigned=$(run assigned)
echo "Node $VERSION, bytes that a request leaves in the old generation"
echo "expected: the same for both, next to nothing ($named with a name first)"
echo "actual:   $assigned if assigned directly"
((assigned > 1000 && assigned > 5 * named))
