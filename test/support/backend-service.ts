/**
 * The embedded backend in its own process, as `npm run backend` starts it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterFile } from './after-file.ts';
import { buildBackend } from './gateway-build.ts';
import { copySampleDatabase } from './sample-database.ts';

interface BackendService {
  readonly process: ChildProcess;
  /** Its output so far, of both streams. */
  readonly output: string;
  /** The URL that it prints; rejects when it ends before. */
  ready(): Promise<string>;
  /** The exit code; null after a signal. */
  readonly exit: Promise<number | null>;
}

/** On a free port and over a copy of the sample data by default; ends with the file of tests at the latest. */
export async function startBackend(
  env: Readonly<Record<string, string>> = {},
): Promise<BackendService> {
  const database = copySampleDatabase();
  const child = spawn(process.execPath, [await buildBackend()], {
    env: { ...process.env, PORT: '0', BACKEND_DATABASE_URL: database.url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exit = once(child, 'close').then(([code]) => {
    database.remove();
    return code as number | null;
  });
  afterFile(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const said = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, url] = /"url":"(http[^"]+)"/.exec(output) ?? [];
        if (url !== undefined) resolve(url);
      });
    }
  });
  return {
    process: child,
    get output() {
      return output;
    },
    ready: () =>
      Promise.race([
        said,
        exit.then((code) => {
          throw new Error(`The backend ended with ${code}: ${output}`);
        }),
      ]),
    exit,
  };
}
