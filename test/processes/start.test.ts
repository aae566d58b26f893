/**
 * `npm start` and `npm run prepare` in a folder that is built, one that is not, and one without sources;
 * in npm's shell, and in one that has only what every shell has. And signals to npm.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { buildGateway } from '../support/gateway-build.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Parts of the project in their own folder, with its packages. */
function folderOf(...parts: readonly string[]): string {
  const folder = openFolder();
  for (const part of parts) {
    cpSync(join(ROOT, part), join(folder, part), {
      recursive: true,
      // GraphiQL's page has its own build, which takes ten times as long.
      filter: (source) => !source.endsWith('src/explorer'),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** A shell without anything of POSIX. */
const PLAIN_SHELL = {
  ...process.env,
  npm_config_script_shell: join(ROOT, 'test/support/plain-shell.mjs'),
};

/** The line with the gateway's address; the backend's comes before it. */
const LISTENS = / at http\S+\/graphql/;

/**
 * The output of `npm start`, and its end by a signal that it gets when it has announced its address.
 *
 * @param receiver npm alone, as supervisors send it, or its group, as terminals do.
 * @returns whether npm ended as the last of its group, besides.
 */
async function start(
  cwd: string,
  shell: NodeJS.ProcessEnv,
  [signal, receiver]: readonly [NodeJS.Signals, 'npm' | 'group'] = ['SIGTERM', 'group'],
): Promise<{ output: string; code: number | null; isLast: boolean }> {
  const env = { ...shell, PORT: '0', BACKEND_DATABASE_URL: ':memory:', DRAIN_DELAY_MS: '0' };
  const started = spawn('npm', ['start'], { cwd, env, detached: true });
  const pid = started.pid!;
  let output = '';
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      const isKnown = LISTENS.test(output);
      output += text;
      if (!isKnown && LISTENS.test(output)) process.kill(receiver === 'npm' ? pid : -pid, signal);
    });
  }
  const closed = once(started, 'close');
  const [code] = (await once(started, 'exit')) as [number | null];
  const isLast = !isRunning(-pid);
  await closed;
  return { output, code, isLast };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it.each(['start', 'run backend'])(
  'npm %s explains in one line how to build when nothing is built',
  (script) => {
    const folder = folderOf('package.json', 'src');

    const { status, stderr } = spawnSync('npm', ['--silent', ...script.split(' ')], {
      cwd: folder,
      env: PLAIN_SHELL,
    });

    expect(status).toBe(1);
    expect(stderr.toString()).toBe(
      'Nothing is built here. Run npm run build in the folder that contains src/, then npm start.\n',
    );
  },
);

it('npm start starts the build, warns when a source is newer than its build, and announces no GraphiQL without its page', async () => {
  const folder = folderOf(
    ...['package.json', 'package-lock.json', 'exec.cmd', 'rolldown.config.ts', 'src'],
  );
  execFileSync('npm', ['run', 'build:gateway'], { cwd: folder, stdio: 'pipe', env: PLAIN_SHELL });

  const { output: fresh } = await start(folder, PLAIN_SHELL);
  const later = new Date(Date.now() + 1_000);
  utimesSync(join(folder, 'src/app/config.ts'), later, later);
  const { output: stale } = await start(folder, process.env);
  utimesSync(join(folder, 'src/app/config.ts'), new Date(0), new Date(0));
  const ofOthers = ['src/explorer/page.tsx', 'dist/explorer/index.html', 'src/client/client.ts'];
  for (const file of ofOthers) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), '');
    utimesSync(join(folder, file), later, later);
  }
  const { output: others } = await start(folder, process.env);

  expect(fresh).toContain('Ready: GraphQL at http');
  expect(fresh).not.toContain('is older than');
  expect(others).not.toContain('is older than');
  expect(stale).toContain('Ready: GraphQL at http');
  expect(stale.match(/"msg":"dist\/ is older than .*/g)).toEqual([
    expect.stringContaining('src/app/config.ts. Rebuild it with \\"npm run build\\".'),
  ]);
});

it.each([
  ['SIGTERM', 'npm'],
  ['SIGINT', 'npm'],
  ['SIGTERM', 'group'],
  ['SIGINT', 'group'],
] as const)(
  '%s to the %s of npm start stops the gateway gracefully before npm exits',
  async (...signal) => {
    const folder = folderOf('package.json');
    symlinkSync(dirname(await buildGateway()), join(folder, 'dist'), 'junction');

    const { output, code, isLast } = await start(folder, process.env, signal);

    expect([code, isLast]).toEqual([0, true]);
    expect(output).toMatch(/"code":0,"msg":"Stopped"/);
  },
);

it('npm run prepare builds if there are sources', () => {
  const folder = folderOf('package.json');
  mkdirSync(join(folder, 'src/app/commands'), { recursive: true });
  // The build itself is tested above.
  writeFileSync(join(folder, 'src/app/commands/build.mjs'), 'console.log("built");');

  const output = execFileSync('npm', ['run', '--silent', 'prepare'], {
    cwd: folder,
    env: PLAIN_SHELL,
  });

  expect(output.toString()).toBe('built\n');
});

it('npm run prepare builds nothing without sources', () => {
  const folder = folderOf('package.json');

  const output = execFileSync('npm', ['run', '--silent', 'prepare'], {
    cwd: folder,
    env: PLAIN_SHELL,
  });

  expect(output.toString()).toBe('');
});
