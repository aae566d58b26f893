/**
 * Reads the environment into a checked, frozen `Config`, by the tables of settings of the core and of extensions.
 *
 * A group is the options of one part of the gateway or of an extension. Invalid values are start errors: one line with
 * the variable, the allowed values and the actual one.
 */
import { BlockList, isIP } from 'node:net';
import { EXTENSIONS, type ExtensionValues, type Line } from './extensions.ts';
import { checkConnections, warnOfNetworks } from './settings/connections.ts';
import { checkHeaders } from './settings/header-names.ts';
import { checkNames } from './settings/misspelt.ts';
import { SETTINGS } from './settings/table.ts';
import {
  ConfigError,
  namesOf,
  readSettings,
  type EnvironmentVariables,
  type SettingGroup,
  type Settings,
  type ValuesOf,
} from '../gateway/settings/setting.ts';

type SettingGroups = typeof SETTINGS;

type SettingValues = {
  readonly [Name in keyof SettingGroups]: ValuesOf<SettingGroups[Name]['settings']>;
};

export type Config = SettingValues & {
  readonly extensions: ExtensionValues;
  /** Warnings for the log: probably misspelt variables, and values without effect or with a risk. */
  readonly warnings: readonly string[];
};

const LINES = Object.entries<Line>(EXTENSIONS);

export const GROUPS: readonly SettingGroup[] = [
  ...Object.values(SETTINGS),
  ...LINES.map(([, { settings }]) => settings),
];

/**
 * Reads the settings.
 *
 * Empty variables count as unset, for compose files. Unknown variables are ignored, with a warning if they are probably
 * misspelt.
 *
 * @throws {ConfigError} for the first invalid value, and with NODE_ENV=production for a misspelt name.
 */
export function readConfig(env: EnvironmentVariables): Config {
  const read = valuesOf<SettingValues>(Object.entries(SETTINGS), env);
  const extensions = valuesOf<ExtensionValues & Readonly<Record<string, Values>>>(
    LINES.map(([name, { settings }]) => [name, settings]),
    env,
  );
  checkTimes(read);
  checkPorts(read);
  checkConnections(read.backend);
  checkHeaders(
    read.headers,
    LINES.flatMap(([, { settings }]) => settings.ownHeaders ?? []),
  );
  checkTrusted(read);
  const checksHosts = LINES.some(([name, { settings }]) =>
    settings.checksHosts?.(extensions[name]!),
  );
  const { allowedHosts = defaultHosts(read, checksHosts) } = read.http;
  const http = Object.freeze({ ...read.http, allowedHosts });
  const core = { ...read, http };
  const names = GROUPS.flatMap(({ settings }) => Object.values(settings).flatMap(namesOf));
  const warnings = [
    ...checkNames(env, names, read.process.environment === 'production'),
    ...warnOfNetworks(read.backend),
    ...LINES.flatMap(([name, { settings }]) => settings.check?.(extensions[name]!, core) ?? []),
  ];
  return Object.freeze({ ...core, extensions, warnings });
}

type Values = ValuesOf<Settings>;

function valuesOf<Read>(
  groups: readonly (readonly [name: string, group: SettingGroup])[],
  env: EnvironmentVariables,
): Read {
  const values = groups.map(([name, { settings }]) => [name, readSettings(settings, env)]);
  return Object.freeze(Object.fromEntries(values)) as Read; // typed by its groups
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
    `REQUEST_TIMEOUT_MS must be greater than UPSTREAM_TIMEOUT_MS (${timeoutMs}), got ${requestTimeoutMs}. Otherwise the circuit never opens for an unresponsive backend.`,
  );
}

function checkPorts({ http }: Pick<Config, 'http'>): void {
  const { port, adminPort, socketPath, reusePort } = http;
  if (socketPath !== undefined && reusePort) {
    throw new ConfigError(
      'UNIX_SOCKET and REUSE_PORT are both set, but processes cannot share a unix socket. Remove REUSE_PORT and give each process its own UNIX_SOCKET.',
    );
  }
  if (socketPath !== undefined || adminPort === 0 || adminPort !== port) return;
  throw new ConfigError(`ADMIN_PORT must differ from PORT (${port}).`);
}

function checkTrusted({ documents: { folder, only } }: Pick<Config, 'documents'>): void {
  if (!only || folder !== undefined) return;
  throw new ConfigError(
    'TRUSTED_DOCUMENTS_ONLY needs TRUSTED_DOCUMENTS. Set it to the folder of trusted documents.',
  );
}

/**
 * Checks host names against DNS rebinding if only this machine is served, and callers need no key or an extension wants
 * it: a page could point its own host name at this machine and read with the deployment's key.
 */
function defaultHosts(
  { http: { host, socketPath }, backend: { apiKey } }: Pick<Config, 'http' | 'backend'>,
  checksHosts: boolean,
): readonly string[] | undefined {
  if (apiKey === undefined && !checksHosts) return undefined;
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
