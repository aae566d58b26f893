/**
 * The real gateway, `src/main.ts`, in its own process.
 *
 * Tests use the interfaces that its users have: the port, signals, and output.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterFile } from './after-file.ts';
import { clientOf, KEY, type Client } from './client.ts';
import { buildGateway } from './gateway-build.ts';
import { copySampleDatabase } from './sample-database.ts';

export { KEY, OTHER_KEY, POST_JSON, send, type AskOptions, type Reply } from './client.ts';

/** A process that may not listen yet, and may end before it does. */
export interface StartedProcess {
  readonly process: ChildProcess;
  /** Its output so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order of arrival. */
  readonly output: string;
  /** The URL of GraphiQL, once it has been printed. */
  ready(): Promise<string>;
  /** The exit code; null after a signal. */
  exit(): Promise<number | null>;
}

export interface GatewayProcess extends Client {
  /** `http://127.0.0.1:1234`, without a path. */
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Everything it wrote so far, to either stream. */
  readonly output: string;
  /** Heap after a collection, and the handles that keep the process alive. Needs `gauged`. */
  gauge(): Promise<Gauge>;
  /** Ends it with SIGTERM; the exit code, null after a signal. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface Gauge {
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Sockets, timers and the like. */
  readonly handles: number;
}

export interface GatewayProcessOptions {
  /** True to make `gauge` work. */
  readonly gauged?: boolean;
  /** Modules to load before the gateway's own. */
  readonly preload?: readonly string[];
  /** Node's own options. */
  readonly flags?: readonly string[];
  /** The folder that it is started in. @default the project's */
  readonly cwd?: string;
}

const GAUGE = new URL('gauge.mjs', import.meta.url).href;

/** Built once for all processes. */
const MAIN = await buildGateway();

/**
 * `npm start` without its build, on a free port and over a copy of the sample data by default; ends with the file of
 * tests, or with this process, at the latest.
 */
export function startProcess(
  env: Readonly<Record<string, string>> = {},
  { gauged = false, preload = [], flags = [], cwd }: GatewayProcessOptions = {},
): StartedProcess {
  // A preloaded module may be TypeScript; the gateway itself is JavaScript.
  const loader = preload.some((module) => module.endsWith('.ts')) ? ['tsx'] : [];
  const modules = [...(gauged ? [GAUGE] : []), ...loader, ...preload];
  const database = copySampleDatabase();
  const child = spawn(
    process.execPath,
    [
      ...flags,
      ...(gauged ? ['--expose-gc'] : []),
      ...modules.flatMap((module) => ['--import', module]),
      MAIN,
    ],
    {
      cwd,
      env: {
        ...process.env,
        PORT: '0',
        BACKEND_DATABASE_URL: database.url,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', ...(gauged ? (['ipc'] as const) : [])],
    },
  );
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  afterFile(kill);
  const written = { stdout: '', stderr: '', output: '' };
  let url: string | undefined;
  const { promise: ready, resolve, reject } = settable<string>();
  const hear = (stream: 'stdout' | 'stderr') => (chunk: Buffer) => {
    const text = chunk.toString();
    written[stream] += text;
    written.output += text;
    // Only until it is found: a search of all output at each line takes longer with each line.
    url ??= /http:\/\/[\w.:[\]/~-]+\/graphql/.exec(written.output)?.[0];
    if (url !== undefined) resolve(url);
  };
  child.stdout!.on('data', hear('stdout'));
  child.stderr!.on('data', hear('stderr'));
  const exited = once(child, 'close').then(([code]) => {
    process.off('exit', kill);
    database.remove();
    reject(new Error(`The gateway ended with ${code}: ${written.output}`));
    return code as number | null;
  });
  // No unhandled rejection when no one waits for it.
  ready.catch(() => {});
  return {
    process: child,
    get stdout() {
      return written.stdout;
    },
    get stderr() {
      return written.stderr;
    },
    get output() {
      return written.output;
    },
    ready: () => ready,
    exit: () => exited,
  };
}

function settable<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}

/** Starts a gateway; resolves once it has printed its URL. */
export async function startGateway(
  env: Readonly<Record<string, string>>,
  options: GatewayProcessOptions = {},
): Promise<GatewayProcess> {
  const started = startProcess(env, options);
  const { process: child } = started;
  const url = (await started.ready()).replace('/graphql', '');
  return {
    ...clientOf(url, KEY),
    url,
    port: Number(new URL(url).port),
    process: child,
    get output() {
      return started.output;
    },
    gauge: async () => {
      const answered = once(child, 'message');
      child.send('gauge');
      return ((await answered) as [Gauge])[0];
    },
    stop: (signal = 'SIGTERM') => {
      if (child.exitCode === null) child.kill(signal);
      return started.exit();
    },
  };
}
