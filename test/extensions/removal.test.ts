/**
 * Each extension can be removed: its folder, its line in `src/app/extensions.ts` and the commands that read it.
 *
 * The tests of everything else run without any extension in `npm test`: `test/architecture.test.ts` holds them to it.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { send } from '../support/client.ts';
import { ROOT } from '../support/pages.ts';

const run = promisify(execFile);

const EXTENSIONS = readdirSync(join(ROOT, 'src/extensions'));

const QUERY =
  '{ page(pageId: "page_northwind") { name audiences(first: 2) { nodes { person { name } } } } }';

/** The files that the build reads. */
const SOURCES = [
  'src',
  'package.json',
  'package-lock.json',
  'exec.cmd',
  'tsconfig.json',
  'rolldown.config.ts',
  'codegen.ts',
];

/** A copy of the repository without some of its extensions. */
function copyWithout(names: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'without-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  for (const name of SOURCES) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const isOf = (text: string): boolean =>
    names.some((name) => text.includes(`extensions/${name}/`));
  for (const name of names) rmSync(join(copy, 'src/extensions', name), { recursive: true });
  const list = join(copy, 'src/app/extensions.ts');
  const lines = readFileSync(list, 'utf8').split('\n');
  writeFileSync(list, lines.filter((line) => !isOf(line)).join('\n'));
  const commands = join(copy, 'src/app/commands');
  for (const file of readdirSync(commands)) {
    if (isOf(readFileSync(join(commands, file), 'utf8'))) rmSync(join(commands, file));
  }
  return copy;
}

it.each(EXTENSIONS)(
  'without %s the gateway builds, starts and executes a nested query',
  async (name) => {
    const copy = copyWithout([name]);

    await run(process.execPath, [join(ROOT, 'node_modules/rolldown/bin/cli.mjs'), '--config'], {
      cwd: copy,
    });
    const gateway = spawn(process.execPath, ['dist/main.js'], {
      cwd: copy,
      env: { ...process.env, PORT: '0', BACKEND_DATABASE_URL: ':memory:', LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void gateway.kill('SIGKILL'));
    let url: string | undefined;
    for await (const line of createInterface(gateway.stdout)) {
      url = /"url":"([^"]+\/graphql)"/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    const reply = await send(url!, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'demo' },
      body: JSON.stringify({ query: QUERY }),
    });
    const ended = once(gateway, 'exit');
    gateway.kill('SIGTERM');

    expect(reply.body.errors).toBeUndefined();
    expect(reply.body.data.page.audiences.nodes).toHaveLength(2);
    expect((await ended)[0]).toBe(0);
  },
);

it('without any extension the remaining source type-checks', async () => {
  const copy = copyWithout(EXTENSIONS);
  const tsconfig = JSON.parse(readFileSync(join(copy, 'tsconfig.json'), 'utf8'));
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({ ...tsconfig, include: ['src'], exclude: ['src/explorer'] }),
  );

  const checked = await run(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit'],
    { cwd: copy },
  ).catch((error: { readonly stdout: string }) => error);

  expect(checked.stdout).toBe('');
}, 180_000);
