/**
 * `npm start` in a folder, one query, and a stop: for an installation without development packages.
 *
 * Plain JavaScript, since nothing that reads TypeScript is installed there.
 */
import { spawn } from 'node:child_process';

const [folder = '.'] = process.argv.slice(2);
const env = { ...process.env, NODE_ENV: 'production', PORT: '0', BACKEND_DATABASE_URL: ':memory:' };
const product = spawn('npm', ['start'], { cwd: folder, env, detached: true });
const stop = () => process.kill(-product.pid, 'SIGTERM');
const fuse = setTimeout(() => fail('It was not ready within a minute.'), 60_000);

let output = '';
for (const stream of [product.stdout, product.stderr]) {
  stream.setEncoding('utf8').on('data', (text) => {
    output += text;
    const [, url] = /"url":"(http[^"]+)"/.exec(output) ?? [];
    if (url) void ask(url);
  });
}
product.once('exit', (code) => {
  clearTimeout(fuse);
  if (code !== 0) process.stderr.write(output);
  process.exitCode ??= code ?? 1;
});

let asked = false;
async function ask(url) {
  if (asked) return;
  asked = true;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'demo' },
    body: JSON.stringify({ query: '{ page(pageId: "page_northwind") { name } }' }),
  });
  const text = await response.text();
  if (text !== '{"data":{"page":{"name":"Northwind launch"}}}') fail(`It answered ${text}`);
  else stop();
}

function fail(why) {
  process.stderr.write(`${output}\n${why}\n`);
  process.exitCode = 1;
  stop();
}
