/**
 * Checks combinations of the settings of backend connections.
 */
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { isDecodable } from '../../gateway/settings/kinds.ts';
import { ConfigError, type ValuesOf } from '../../gateway/settings/setting.ts';
import type { SETTINGS } from './table.ts';

/** One certificate of a bundle. */
const CERTIFICATE = /-----BEGIN .*?(?:-----END [^-]*-----|$)/gs;

type ConnectionSettings = ValuesOf<typeof SETTINGS.backend.settings>;

/** @throws {ConfigError} for contradictory settings. */
export function checkConnections(backend: ConnectionSettings): void {
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
export function warnOfNetworks({ url, httpProxy, httpsProxy, noProxy }: ConnectionSettings) {
  const networks = noProxy.split(/[\s,]+/).filter((one) => one.includes('/'));
  if (url === undefined || httpProxy + httpsProxy === '' || networks.length === 0) return [];
  return [
    `NO_PROXY: ${networks.join(' and ')} has no effect, since only host names are matched. List the hosts instead.`,
  ];
}

function checkTls(
  url: URL | undefined,
  pem: Pick<ConnectionSettings, 'ca' | 'cert' | 'key'>,
): void {
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
