/**
 * Reads the environment into a checked, frozen `Config`, by the table of settings.
 *
 * A group is the options of one part of the gateway. Invalid values are start errors: one line with the variable, the
 * allowed values and the actual one.
 */
import { BlockList, isIP } from 'node:net';
import { checkCacheTtl } from './settings/cache-ttl.ts';
import { checkConnections, warnOfNetworks } from './settings/connections.ts';
import { checkHeaders } from './settings/header-names.ts';
import { unknownNames } from './settings/misspelt.ts';
import {
  ConfigError,
  namesOf,
  readSettings,
  type EnvironmentVariables,
  type SettingGroup,
  type Settings,
  type ValuesOf,
} from './settings/setting.ts';
import { SETTINGS } from './settings/table.ts';

type SettingGroups = typeof SETTINGS;

type SettingValues = {
  readonly [Name in keyof SettingGroups]: ValuesOf<SettingGroups[Name]['settings']>;
};

export type Config = SettingValues & {
  /** Warnings for the log about probably misspelt variables. */
  readonly warnings: readonly string[];
};

/**
 * Reads the settings.
 *
 * Empty variables count as unset, for compose files. Unknown variables are ignored, with a warning if they are probably
 * misspelt.
 *
 * @throws {ConfigError} for the first invalid value, and with NODE_ENV=production for a misspelt name.
 */
export function readConfig(env: EnvironmentVariables): Config {
  const groups = Object.entries(SETTINGS).map(([name, { settings }]) => [
    name,
    readSettings<Settings>(settings, env),
  ]);
  const read = Object.fromEntries(groups) as SettingValues; // typed by its groups
  checkTimes(read);
  checkPorts(read);
  checkConnections(read.backend);
  checkHeaders(read.headers);
  checkCacheTtl(read.fleet);
  checkTrusted(read);
  checkRecording(read);
  const { allowedHosts = defaultHosts(read) } = read.http;
  const isReachable = allowedHosts === undefined && read.http.socketPath === undefined;
  if (read.documents.agents !== undefined && isReachable) {
    throw new ConfigError(
      'MCP_DOCUMENTS needs ALLOWED_HOSTS, the names by which agents ask, where other machines are served.',
    );
  }
  const names = Object.values<SettingGroup>(SETTINGS).flatMap(({ settings }) =>
    Object.values(settings).flatMap(namesOf),
  );
  const warnings = [
    ...checkNames(env, names, read),
    ...weakSecret(read),
    ...warnOfNetworks(read.backend),
  ];
  const http = Object.freeze({ ...read.http, allowedHosts });
  return Object.freeze({ ...read, http, warnings });
}

/** @returns warnings of unknown variables. */
function checkNames(
  env: EnvironmentVariables,
  names: readonly string[],
  { process: { environment } }: Pick<Config, 'process'>,
): readonly string[] {
  const given = Object.keys(env).filter((name) => env[name]?.trim());
  const unknown = unknownNames(given, names);
  const misspelt = unknown.find(({ isMisspelt }) => isMisspelt);
  if (environment === 'production' && misspelt) {
    throw new ConfigError(
      `${misspelt.warning} Correct it or remove it: with NODE_ENV=production the gateway starts with no misspelt setting.`,
    );
  }
  return unknown.map(({ warning }) => warning);
}

/**
 * Reads cancelled by all their callers do not count as failures of the backend. If requests timed out before attempts,
 * the circuit of a silent backend would never open.
 */
function checkTimes({ limits, backend }: Pick<Config, 'limits' | 'backend'>): void {
  const { requestTimeoutMs } = limits;
  const { timeoutMs } = backend;
  if (requestTimeoutMs > timeoutMs) return;
  throw new ConfigError(
    `REQUEST_TIMEOUT_MS must be more than UPSTREAM_TIMEOUT_MS, which is ${timeoutMs}, or a silent backend is never left alone; got ${requestTimeoutMs}.`,
  );
}

function checkPorts({ http }: Pick<Config, 'http'>): void {
  const { port, adminPort, socketPath, reusePort } = http;
  if (socketPath !== undefined && reusePort) {
    throw new ConfigError(
      'UNIX_SOCKET is listened on by one process: remove REUSE_PORT, and give each process a socket of its own.',
    );
  }
  if (socketPath !== undefined || adminPort === 0 || adminPort !== port) return;
  throw new ConfigError(`ADMIN_PORT must be another port than PORT, which is ${port}.`);
}

function checkRecording({
  recording: { record, replay },
  backend: { url },
  headers: { forward },
}: Pick<Config, 'recording' | 'backend' | 'headers'>): void {
  if (record === undefined && replay === undefined) return;
  const name = record === undefined ? 'REPLAY' : 'RECORD';
  if (record !== undefined && replay !== undefined) {
    throw new ConfigError('RECORD and REPLAY are both set: remove one of them.');
  }
  if (forward.length > 0) {
    throw new ConfigError(
      `${name} tells callers apart by their keys alone: remove FORWARD_HEADERS.`,
    );
  }
  if (replay !== undefined && url !== undefined) {
    throw new ConfigError('REPLAY answers instead of a backend: remove UPSTREAM_URL.');
  }
}

/** Warns if names in Redis are plain hashes of callers' keys. */
function weakSecret({ fleet: { redisUrl, redisSecret } }: Pick<Config, 'fleet'>): string[] {
  if (redisUrl === undefined || (redisSecret ?? passwordOf(redisUrl)) !== '') return [];
  return [
    "REDIS_URL has no password and REDIS_SECRET is unset: who reads Redis can try out callers' keys. Set REDIS_SECRET.",
  ];
}

/** The default secret of hashed names in Redis: its password, or an empty text. */
export const passwordOf = (redisUrl: string): string => new URL(redisUrl).password;

function checkTrusted({ documents: { folder, only } }: Pick<Config, 'documents'>): void {
  if (!only || folder !== undefined) return;
  throw new ConfigError(
    'TRUSTED_DOCUMENTS_ONLY needs TRUSTED_DOCUMENTS, the folder of what is trusted, or nothing would be served.',
  );
}

/**
 * Checks host names against DNS rebinding if only this machine is served and callers need no key, or agents are served:
 * a page could point its own host name at this machine and read with the deployment's key.
 */
function defaultHosts({
  http: { host, socketPath },
  backend: { apiKey },
  documents: { agents },
}: Pick<Config, 'http' | 'backend' | 'documents'>): readonly string[] | undefined {
  if ((apiKey ?? agents) === undefined) return undefined;
  // Pages cannot reach a unix socket.
  if (socketPath !== undefined || !isLoopback(host)) return undefined;
  return [...new Set([...LOOPBACK_HOSTS, host])];
}

function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return /^(?:localhost|.*\.localhost|127\..*)$/i.test(host);
  return LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
