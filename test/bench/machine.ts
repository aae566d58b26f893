/**
 * Child processes of the benchmark: started on their own core, watched, and always ended.
 *
 * Ended by their pid, whatever way the benchmark itself ends. CPU time is read from /proc, which
 * counts what a process did, not what the machine had time for.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';

/** Servers run on core 0; their callers and their backend, on core 1. */
export type Core = 0 | 1;

export type Command = readonly [program: string, ...args: string[]];

export interface Child {
  readonly pid: number;
  /** What it wrote so far, both streams. */
  readonly output: () => string;
  /** Its exit code; -1 when a signal ended it. */
  readonly ended: Promise<number>;
  /** Whether it was requested to end. */
  readonly stopping: () => boolean;
  stop(): Promise<void>;
}

const { scripts } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly scripts: { readonly start: string } };

/** Of `npm start`. */
export const NODE_FLAGS: readonly string[] = scripts.start.match(/--\S+/g)!;

/** How long a process may take to end when asked to, in milliseconds. */
const GRACE_MS = 2_000;

/** Clock ticks a second in /proc; a constant of Linux on every machine Node runs on. */
const TICKS = 100;

const running = new Set<ChildProcess>();

export const has = (program: string): boolean => findProgram(program) !== undefined;

/** Whether processes are pinned to cores: there are two, the tool is installed, and no one needs them all. */
let pinning = has('taskset') && availableParallelism() >= 2;

export const isPinning = (): boolean => pinning;

/** Lets every process that is started from now on run on every core. */
export function useAllCores(): void {
  pinning = false;
}

/** Keeps a running process and all of its threads on a core. */
export function keepOn(core: Core, pid: number): void {
  if (pinning) spawnSync('taskset', ['-acp', String(core), String(pid)]);
}

/** Keeps this process, too, off the core of the servers. */
export const leaveServersAlone = (): void => keepOn(1, process.pid);

export function start(
  core: Core,
  [program, ...args]: Command,
  env: Readonly<Record<string, string>> = {},
): Child {
  const command = pinning ? ['taskset', '-c', String(core), program, ...args] : [program, ...args];
  const child = spawn(command[0]!, command.slice(1), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-100_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      running.delete(child);
      resolve(-1);
    });
    child.once('close', (code) => {
      running.delete(child);
      resolve(code ?? -1);
    });
  });
  return {
    pid: child.pid ?? -1,
    output: () => output,
    ended,
    stopping: () => child.killed,
    stop: async () => {
      child.kill('SIGTERM');
      const fuse = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
      await ended;
      clearTimeout(fuse);
    },
  };
}

/** Ends whatever still runs; for the moment the benchmark itself ends. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Runs a program to its end; throws with its output when it fails. */
export function runToEnd(program: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  const said = error?.message ?? `${stdout}${stderr}`.slice(-4_000);
  throw new Error(`${program} ${args.join(' ')} failed:\n${said}`);
}

/** CPU time of a process and its children so far, in microseconds; NaN without /proc. */
export const cpuMicros = (pid: number): number =>
  sumOf(pid, (member) => {
    // The name in parentheses may hold spaces; fields are counted after it.
    const fields = read(`/proc/${member}/stat`).split(') ').at(-1)!.split(' ');
    return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1e6;
  });

/** Resident memory of a process and its children, in megabytes; NaN without /proc. */
export const residentMegabytes = (pid: number): number =>
  sumOf(pid, (member) => {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${member}/status`)) ?? [];
    return Number(kilobytes) / 1024;
  });

/** How long a process' first thread was ready to run and waited for a core; NaN without /proc. */
export const waitedMs = (pid: number): number =>
  Number(read(`/proc/${pid}/schedstat`).split(' ')[1]) / 1e6;

export function findProgram(name: string): string | undefined {
  // Debian keeps nginx where only root looks.
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return places.map((place) => join(place, name)).find((path) => existsSync(path));
}

/** Over a process, its children, and theirs. */
function sumOf(pid: number, figureOf: (pid: number) => number): number {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
  const children = threads.flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean),
  );
  return children.reduce((sum, child) => sum + sumOf(Number(child), figureOf), figureOf(pid));
}

/** Empty where there is no /proc, or the process is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
