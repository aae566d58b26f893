/**
 * One attack from start to end: starts a backend, a built gateway, a victim and an attacker, and
 * measures all of them before, during and after.
 *
 * Where processes can be pinned, the gateway runs on core 0 and the others on core 1.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type Child,
  cpuMicros,
  freePort,
  NODE_FLAGS,
  processesOf,
  start,
  statusOf,
} from '../../bench/machine.ts';
import { buildGateway } from '../../support/gateway-build.ts';
import { send } from '../../support/gateway-process.ts';
import type { AttackerArguments } from './attacker.ts';
import type { BackendReport, BackendRules } from './backend.ts';
import type { Attack, AttackReport } from './definition.ts';
import { HONEST_LOAD } from './honest.ts';
import {
  everyMs,
  LEGITIMATE,
  openProbes,
  openVictim,
  VICTIM_KEY,
  warmUp,
  type VictimReport,
} from './victim.ts';

export interface AttackResult {
  readonly attack: Attack;
  readonly report: AttackReport;
  /** CPU time of all processes of the gateway while it was attacked. */
  readonly cpuSeconds: number;
  /** How long it was attacked. */
  readonly attackedSeconds: number;
  readonly victim?: BeforeAndDuring<VictimReport> & {
    /** While honest callers make as many REST calls as the attacker did; before, where it made few. */
    readonly control: VictimReport;
    /** From five seconds after the attack; absent when the gateway has ended. */
    readonly after: VictimReport | undefined;
  };
  /** REST calls a second, of the victim's. */
  readonly victimCalls: BeforeAndDuring<number>;
  /** REST calls a second of all others, during the attack and its control. */
  readonly otherCalls: { readonly attack: number; readonly control: number };
  /** The longest that a probe of `PORT` took. */
  readonly healthMs: BeforeAndDuring<number>;
  readonly readyMs: BeforeAndDuring<number>;
  /** The same of `ADMIN_PORT`, where no connection of a caller waits to be accepted. */
  readonly adminHealthMs: BeforeAndDuring<number>;
  /** Resident memory of the largest process, in megabytes. */
  readonly residentMb: {
    readonly before: number;
    readonly peak: number;
    /** Ten seconds after the attack; NaN when the gateway has ended. */
    readonly after: number;
  };
  /** How the gateway ended by itself. */
  readonly died: string | undefined;
  /** How long the gateway was ready to run while it was attacked, and another process had its core. */
  readonly waitedSeconds: number;
  /** What its other threads, which collect garbage and compile, used of that core meanwhile. */
  readonly helpersSeconds: number;
}

export interface BeforeAndDuring<T> {
  readonly before: T;
  readonly during: T;
}

export interface Running {
  readonly url: string;
  readonly pid: number;
  readonly child: Child;
  stop(): Promise<void>;
}

const WARM_UP_MS = 2_500;
/** How long the gateway may recover before its memory is read. */
const REST_MS = 10_000;
/** Requests that were due so recently may not have been answered yet. */
const SETTLE_MS = 1_000;
/** How long starting may take. */
const READY_WITHIN_MS = 20_000;
/** How much longer than its time an attacker may take to end. */
const GRACE_MS = 15_000;

export async function startGateway(
  backendUrl: string,
  env: Readonly<Record<string, string>>,
): Promise<Running & { readonly adminPort: number }> {
  const port = await freePort();
  const adminPort = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const node = [process.execPath, ...NODE_FLAGS, await buildGateway()];
  // It logs as much as in production, but the log is not read here.
  const child = start(0, ['sh', '-c', 'exec "$@" > /dev/null', 'sh', ...node], {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    UPSTREAM_URL: backendUrl,
    ...env,
  });
  await until(READY_WITHIN_MS, 'The gateway did not start', child, async () => {
    const { status } = await send(`${url}/health`);
    return status === 200;
  });
  return { ...running(url, child), adminPort };
}

export async function startBackend(rules: BackendRules): Promise<Running> {
  const file = fileURLToPath(new URL('backend.ts', import.meta.url));
  const child = start(1, [process.execPath, '--import', 'tsx', file]);
  let url = '';
  await until(READY_WITHIN_MS, 'The backend did not start', child, async () => {
    url = /READY (\S+)/.exec(child.output())?.[1] ?? '';
    return url !== '';
  });
  await setRules(url, rules);
  return running(url, child);
}

/** One function for each running gateway and backend, which kills it. */
const kills = new Set<() => void>();

/** Kills what still runs, for the exit of this process. */
export function killRunning(): void {
  for (const kill of kills) kill();
}

function running(url: string, child: Child): Running {
  const kill = (): void => {
    // Workers first: killing their primary would leave them behind while they are busy.
    for (const pid of processesOf(child.pid).reverse()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  };
  kills.add(kill);
  // Its pid may soon belong to another process.
  void child.ended.then(() => kills.delete(kill));
  return {
    url,
    pid: child.pid,
    child,
    stop: async () => {
      if (kills.has(kill)) kill();
      await child.ended;
    },
  };
}

const setRules = (url: string, rules: BackendRules) =>
  send(`${url}/control`, { method: 'PUT', body: JSON.stringify(rules) });

const readReport = async (url: string): Promise<BackendReport> =>
  (await send(`${url}/control`)).body as BackendReport; // backend.ts writes it with this type

async function until(
  ms: number,
  complaint: string,
  child: Child,
  isDone: () => Promise<boolean>,
): Promise<void> {
  let ended = false;
  void child.ended.then(() => {
    ended = true;
  });
  for (const endMs = performance.now() + ms; ; await sleep(10)) {
    if (await isDone().catch(() => false)) return;
    if (ended || performance.now() > endMs) throw new Error(`${complaint}: ${child.output()}`);
  }
}

/**
 * @param family the file that the attack is in, without its extension.
 * @param wantedSeconds how long it is to last.
 */
export async function runAttack(
  attack: Attack,
  family: string,
  wantedSeconds: number,
): Promise<AttackResult> {
  const seconds = Math.max(wantedSeconds, attack.leastSeconds ?? 0);
  const backend = await startBackend(attack.backend ?? {});
  const gateway = await startGateway(backend.url, attack.env ?? {});
  let died: string | undefined;
  void gateway.child.ended.then((code) => {
    died = `ended with ${code}: ${gateway.child.output().slice(-300).trim()}`;
  });
  const plan = attack.victim === undefined ? LEGITIMATE : attack.victim;
  const port = Number(new URL(gateway.url).port);
  try {
    if (plan) await warmUp(gateway.url, plan, WARM_UP_MS);
    return await measured();
  } finally {
    await gateway.stop();
    await backend.stop();
  }

  async function measured(): Promise<AttackResult> {
    const watch = openWatch(gateway.pid);
    const victim = plan && openVictim(gateway.url, plan);
    const probes = openProbes(port, ['/health', '/ready']);
    const adminProbes = openProbes(gateway.adminPort, ['/health']);

    const beganMs = performance.now();
    const callsAtFirst = await readReport(backend.url);
    // A victim that asks seldom needs longer to have asked at all.
    const beforeMs = plan ? Math.max(2_500, seconds * 250, 4_000 / plan.perSecond) : 500;
    await sleep(Math.min(beforeMs, 15_000));
    const residentBefore = watch.residentMb();
    const callsBefore = await readReport(backend.url);
    const beforeEndMs = performance.now();

    if (attack.faults) await setRules(backend.url, { ...attack.backend, faults: attack.faults });
    const attacker = attack.run ? await startAttacker(port, family, attack.name) : undefined;
    const attackMs = performance.now();
    const callsAtAttack = await readReport(backend.url);
    const cpuAtFirst = watch.cpuSeconds();
    const timesAtFirst = watch.times();
    const report = attacker ? await reportOf(attacker) : await sleep(seconds * 1_000, NOTHING);
    const endMs = performance.now();
    const cpuSeconds = watch.cpuSeconds() - cpuAtFirst;
    const times = watch.times();
    const helpersSeconds = times.helpersSeconds - timesAtFirst.helpersSeconds;
    // The first thread shares its core with them: what it waited for them is nobody else's doing.
    const waitedSeconds = Math.max(
      0,
      times.waitedSeconds - timesAtFirst.waitedSeconds - helpersSeconds,
    );
    const callsAfter = await readReport(backend.url);
    if (attack.faults) await setRules(backend.url, attack.backend ?? {});

    if (died === undefined) await sleep(plan ? REST_MS : 0);
    const nowMs = performance.now();
    const otherCalls = othersASecond(callsAtAttack, callsAfter, endMs - attackMs);
    const control = died === undefined && !attack.faults ? await controlled(otherCalls) : undefined;
    const result: AttackResult = {
      attack,
      report,
      cpuSeconds,
      attackedSeconds: (endMs - attackMs) / 1_000,
      ...(victim && {
        victim: {
          before: victim.report(beganMs, beforeEndMs),
          control: control
            ? victim.report(control.fromMs, control.toMs)
            : victim.report(beganMs, beforeEndMs),
          during: victim.report(attackMs, endMs),
          after:
            died === undefined ? victim.report(endMs + REST_MS / 2, nowMs - SETTLE_MS) : undefined,
        },
      }),
      victimCalls: {
        before: callsASecond(callsAtFirst, callsBefore, beforeEndMs - beganMs),
        during: callsASecond(callsAtAttack, callsAfter, endMs - attackMs),
      },
      otherCalls: { attack: otherCalls, control: control?.callsASecond ?? 0 },
      healthMs: {
        before: probes.worst('/health', beganMs, beforeEndMs),
        during: probes.worst('/health', attackMs, endMs),
      },
      readyMs: {
        before: probes.worst('/ready', beganMs, beforeEndMs),
        during: probes.worst('/ready', attackMs, endMs),
      },
      adminHealthMs: {
        before: adminProbes.worst('/health', beganMs, beforeEndMs),
        during: adminProbes.worst('/health', attackMs, endMs),
      },
      residentMb: {
        before: residentBefore,
        peak: watch.peakMb(),
        after: watch.residentMb(),
      },
      died: attack.endsGateway ? undefined : died,
      waitedSeconds,
      helpersSeconds,
    };
    watch.close();
    probes.close();
    adminProbes.close();
    await victim?.close();
    return result;
  }

  /** Measures the victim beside honest callers; undefined where there would be hardly any. */
  async function controlled(callsASecond: number) {
    if (!plan || callsASecond < FEW_CALLS) return undefined;
    const atFirst = await readReport(backend.url);
    const honest = await startAttacker(port, 'honest', HONEST_LOAD, callsASecond);
    const fromMs = performance.now();
    await reportOf(honest);
    const toMs = performance.now();
    const made = othersASecond(atFirst, await readReport(backend.url), toMs - fromMs);
    // Whoever was asked last may still be answered.
    await sleep(SETTLE_MS);
    return { fromMs, toMs, callsASecond: made };
  }

  async function startAttacker(
    port: number,
    family: string,
    name: string,
    callsASecond = 0,
  ): Promise<Child> {
    const given: AttackerArguments = {
      family,
      name,
      callsASecond,
      port,
      gatewayPid: gateway.pid,
      backendUrl: backend.url,
      seconds,
    };
    const file = fileURLToPath(new URL('attacker.ts', import.meta.url));
    // The backend and the victim, which stand for other machines, must not wait for the attacker.
    const command = ['nice', '-n', '10', process.execPath, '--import', 'tsx', file] as const;
    const child = start(1, [...command, JSON.stringify(given)]);
    await until(READY_WITHIN_MS, 'The attacker did not start', child, async () =>
      child.output().includes('BEGUN'),
    );
    return child;
  }

  async function reportOf(attacker: Child): Promise<AttackReport> {
    const fuse = setTimeout(() => void attacker.stop(), seconds * 1_000 + GRACE_MS);
    await attacker.ended;
    clearTimeout(fuse);
    const [, line] = /^REPORT (.*)$/m.exec(attacker.output()) ?? [];
    if (line === undefined) throw new Error(`The attacker failed: ${attacker.output()}`);
    return JSON.parse(line) as AttackReport; // attacker.ts writes it with this type
  }
}

/** REST calls a second that make no difference to a victim. */
const FEW_CALLS = 20;

function othersASecond(from: BackendReport, to: BackendReport, ms: number): number {
  const all = ({ calls }: BackendReport): number =>
    Object.entries(calls).reduce(
      (sum, [key, count]) => (key === VICTIM_KEY ? sum : sum + count),
      0,
    );
  return (all(to) - all(from)) / (ms / 1_000);
}

const NOTHING: AttackReport = { requests: 0, bytesSent: 0, connections: 0, facts: {}, wrong: [] };

const callsASecond = (from: BackendReport, to: BackendReport, ms: number): number =>
  ((to.calls[VICTIM_KEY] ?? 0) - (from.calls[VICTIM_KEY] ?? 0)) / (ms / 1_000);

/** Samples the gateway's processes ten times a second, so that something is known of one that has ended. */
function openWatch(pid: number) {
  let peakMb = 0;
  let cpuSeconds = 0;
  let waitedSeconds = 0;
  let helpersSeconds = 0;
  const sample = (): void => {
    const processes = processesOf(pid);
    peakMb = Math.max(peakMb, ...processes.map((one) => megabytes(one, 'VmHWM') || 0));
    cpuSeconds = Math.max(cpuSeconds, (cpuMicros(pid) ?? 0) / 1e6);
    const { waitedMs, helpersMs } = timesOf(pid);
    waitedSeconds = Math.max(waitedSeconds, waitedMs / 1_000 || 0);
    helpersSeconds = Math.max(helpersSeconds, helpersMs / 1_000 || 0);
  };
  const stop = everyMs(100, sample);
  return {
    residentMb: () => Math.max(...processesOf(pid).map((one) => megabytes(one, 'VmRSS'))),
    peakMb: () => {
      sample();
      return peakMb;
    },
    cpuSeconds: () => {
      sample();
      return cpuSeconds;
    },
    times: () => ({ waitedSeconds, helpersSeconds }),
    close: stop,
  };
}

/**
 * How long all threads of a process ran, and those beside its first one, which runs JavaScript; and how
 * long that one waited for a core. NaN when it is gone.
 */
export function timesOf(pid: number): Record<'cpuMs' | 'helpersMs' | 'waitedMs', number> {
  const read = (folder: string): number[] =>
    readFileSync(`${folder}/schedstat`, 'utf8')
      .split(' ')
      .map((nanoseconds) => Number(nanoseconds) / 1e6);
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const ran = threads.map((thread) => read(`/proc/${pid}/task/${thread}`)[0]!);
    const cpuMs = ran.reduce((sum, ms) => sum + ms, 0);
    const [ownMs, waitedMs] = read(`/proc/${pid}`) as [number, number];
    return { cpuMs, helpersMs: cpuMs - ownMs, waitedMs };
  } catch {
    return { cpuMs: NaN, helpersMs: NaN, waitedMs: NaN };
  }
}

const megabytes = (pid: number, name: 'VmRSS' | 'VmHWM'): number =>
  parseInt(statusOf(pid, name) ?? '') / 1024;
