/**
 * Reads the environment into a checked, frozen `Config`, by the tables of settings of the core and of extensions.
 *
 * A group is the options of one part of the gateway or of an extension. Invalid values are start errors: one line with
 * the variable, the allowed values and the actual one.
 */
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { closest, distance } from 'fastest-levenshtein';
import { isDecodable } from '../gateway/settings/kinds.ts';
import { EXTENSIONS, type ExtensionValues, type Line } from './extensions.ts';
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

type SettingValues = {
  readonly [Name in keyof typeof SETTINGS]: ValuesOf<(typeof SETTINGS)[Name]['settings']>;
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
  const url = `http://${host.includes(':') ? `[${host}]` : host}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return /^(?:localhost|.*\.localhost|127\..*|\[::(?:1|ffff:7f..:.*)\])$/.test(hostname);
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** One certificate of a bundle. */
const CERTIFICATE = /-----BEGIN .*?(?:-----END [^-]*-----|$)/gs;

/** @throws {ConfigError} for contradictory settings. */
function checkConnections(backend: Config['backend']): void {
  const { url, socketPath, ca, cert, key, httpProxy, httpsProxy } = backend;
  if (socketPath !== undefined && url === undefined) {
    throw new ConfigError(
      'UPSTREAM_UNIX_SOCKET needs UPSTREAM_URL for the host and the path of requests. Set it, for example to http://localhost.',
    );
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError('UPSTREAM_CERT_FILE and UPSTREAM_KEY_FILE must be set together.');
  }
  if (ca !== undefined || cert !== undefined) checkTls(url, { ca, cert, key });
  // The embedded backend is never behind a proxy.
  if (url === undefined) return;
  for (const [name, proxy] of [
    ['HTTP_PROXY', httpProxy],
    ['HTTPS_PROXY', httpsProxy],
  ] as const) {
    if (proxy === '' || (URL.canParse(proxy) && isProxy(new URL(proxy)))) continue;
    throw new ConfigError(
      `${name} must be an http or https URL without a path, such as http://proxy.example.com:3128; its value is not shown, since it may contain a password.`,
    );
  }
}

const isProxy = ({ protocol, pathname, search, hash, username, password }: URL): boolean =>
  /^https?:$/.test(protocol) &&
  `${pathname}${search}${hash}` === '/' &&
  isDecodable(username + password);

/** Returns a warning for networks in NO_PROXY, which match no host name. */
function warnOfNetworks({ url, httpProxy, httpsProxy, noProxy }: Config['backend']) {
  const networks = noProxy.split(/[\s,]+/).filter((one) => one.includes('/'));
  if (url === undefined || httpProxy + httpsProxy === '' || networks.length === 0) return [];
  return [
    `NO_PROXY: ${networks.join(' and ')} has no effect, since only host names are matched. List the hosts instead.`,
  ];
}

function checkTls(url: URL | undefined, pem: Pick<Config['backend'], 'ca' | 'cert' | 'key'>): void {
  const name = pem.ca === undefined ? 'UPSTREAM_CERT_FILE' : 'UPSTREAM_CA_FILE';
  if (url?.protocol !== 'https:') {
    throw new ConfigError(`${name} needs an UPSTREAM_URL that begins with https://.`);
  }
  try {
    // Node ignores a broken certificate, and all that follow it in the file.
    for (const one of pem.ca?.match(CERTIFICATE) ?? []) void new X509Certificate(one);
    createSecureContext(pem);
  } catch (cause) {
    const { message } = cause as Error; // of OpenSSL, without contents of the files
    throw new ConfigError(
      `UPSTREAM_CA_FILE, UPSTREAM_CERT_FILE and UPSTREAM_KEY_FILE must contain PEM certificates and the matching private key without a password (${message}).`,
      { cause },
    );
  }
}

/** Prefixes that other programs are unlikely to use. */
const OWN_PREFIX = /^(?:UPSTREAM|BACKEND)_/;

/** Variables that Kubernetes sets for services. */
const OF_A_SERVICE = /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP).*)?$/;

/** Names of other programs that differ from settings in nothing but their case. */
const OF_OTHERS = new Set(['http_proxy', 'https_proxy', 'no_proxy']);

/**
 * Returns warnings of unknown variables that are similar to settings, or have a prefix of theirs.
 *
 * @throws {ConfigError} in production for a misspelt one: similar to a setting that is not set.
 */
function checkNames(
  env: EnvironmentVariables,
  known: readonly string[],
  isProduction: boolean,
): readonly string[] {
  const given = Object.keys(env).filter((name) => env[name]?.trim());
  return given.flatMap((name) => {
    if (known.includes(name) || OF_A_SERVICE.test(name)) return [];
    const similar = closest(name.toUpperCase(), known);
    if (!isNear(name, similar)) {
      return OWN_PREFIX.test(name) ? [`${name} is not a setting and has no effect.`] : [];
    }
    const warning = `${name} is not a setting. Did you mean ${similar}?`;
    if (isProduction && !given.includes(similar) && !OF_OTHERS.has(name)) {
      throw new ConfigError(
        `${warning} Correct or remove it: with NODE_ENV=production, misspelt settings prevent the start.`,
      );
    }
    return [warning];
  });
}

/** Whether two names differ by one edit, or by two for long names. */
function isNear(name: string, known: string): boolean {
  // Short names are similar to many variables of other programs.
  if (known.length < 5 && name.length <= known.length) return false;
  return distance(name.toUpperCase(), known) <= (known.length < 10 ? 1 : 2);
}

/** Names of headers, and why they must not be forwarded or exposed. */
type Rule = readonly [names: RegExp, why: string];

/** Source: RFC 9110, "Connection"; RFC 9113, "Connection-Specific Header Fields". */
const HOP_BY_HOP: Rule = [
  /^(?:connection|keep-alive|proxy-connection|proxy-authenticate|proxy-authorization|te|trailer|transfer-encoding|upgrade|http2-settings|expect)$/,
  'it is a hop-by-hop header',
];

const SET_ON_CALLS = 'the gateway sets it on each call';

const NOT_FORWARDED: readonly Rule[] = [
  HOP_BY_HOP,
  [/^x-api-key$/, 'the API key is always forwarded'],
  [/^(?:host|accept|accept-encoding|x-request-id|set-cookie)$/, SET_ON_CALLS],
  [/^if-|^range$/, 'it would make responses conditional or partial'],
  [/^content-|^trace(?:parent|state)$|^baggage$/, 'it describes the request to the gateway'],
];

const SET_ON_RESPONSES = 'the gateway sets it on each response';

const NOT_EXPOSED: readonly Rule[] = [
  HOP_BY_HOP,
  [/^x-api-key$/, 'it may contain the API key of the deployment'],
  [/^set-cookie2?$/, 'cookies are not supported'],
  [/^content-|^location$|^accept-ranges$/, 'it describes a single REST response'],
  [
    /^(?:x-request-id|server-timing|retry-after|etag|last-modified|cache-control|expires|age|date|vary|x-accel-.*|access-control-.*)$/,
    SET_ON_RESPONSES,
  ],
];

/**
 * @param own names of headers of extensions.
 * @throws {ConfigError} for the first forbidden name.
 */
function checkHeaders({ forward, expose }: Config['headers'], own: readonly string[]): void {
  for (const [setting, names, rules, isSet] of [
    ['FORWARD_HEADERS', forward, NOT_FORWARDED, SET_ON_CALLS],
    ['EXPOSE_HEADERS', expose, NOT_EXPOSED, SET_ON_RESPONSES],
  ] as const) {
    for (const name of names) {
      const rule = rules.find(([forbidden]) => forbidden.test(name));
      const why = rule?.[1] ?? (own.includes(name) ? isSet : undefined);
      if (why === undefined) continue;
      throw new ConfigError(`${setting} must not contain ${name}: ${why}. Remove it.`);
    }
  }
}
