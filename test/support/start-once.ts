/**
 * `npm start` in a folder, one query, and a stop: for an installation without development packages.
 */
import { spawn } from 'node:child_process';

const PAGE = '{"data":{"page":{"name":"Northwind launch"}}}';

const [folder = '.'] = process.argv.slice(2);
const product = spawn('npm', ['start'], {
  cwd: folder,
  env: { ...process.env, NODE_ENV: 'production', PORT: '0', BACKEND_DATABASE_URL: ':memory:' },
  // A separate group, so that npm and its child processes end together.
  detached: true,
});
const stop = (): void => void process.kill(-product.pid!, 'SIGTERM');
let output = '';
let answer: string | undefined;
let url: string | undefined;

const fuse = setTimeout(stop, 60_000);
for (const stream of [product.stdout, product.stderr]) {
  stream.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (url) return;
    [, url] = /"url":"(http[^"]+)"/.exec(output) ?? [];
    if (url) void ask(url).finally(stop);
  });
}
product.once('exit', () => {
  clearTimeout(fuse);
  if (answer === PAGE) return;
  process.stderr.write(`${output}\nIt answered ${answer ?? 'nothing'}.\n`);
  process.exitCode = 1;
});

async function ask(address: string): Promise<void> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'demo' },
    body: JSON.stringify({ query: '{ page(pageId: "page_northwind") { name } }' }),
  });
  answer = await response.text();
}
