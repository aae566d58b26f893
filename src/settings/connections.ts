/**
 * What has to fit together in the settings of connections to the backend.
 */
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { ConfigError } from './setting.ts';

interface ConnectionSettings {
  readonly url: URL | undefined;
  readonly socketPath: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly httpProxy: string;
  readonly httpsProxy: string;
}

/** @throws {ConfigError} for what cannot be used together. */
export function checkConnections(backend: ConnectionSettings): void {
  const { url, socketPath, ca, cert, key, httpProxy, httpsProxy } = backend;
  if (socketPath !== undefined && url === undefined) {
    throw new ConfigError(
      'UPSTREAM_UNIX_SOCKET needs UPSTREAM_URL, such as http://localhost: its host and its path are what requests name.',
    );
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError('UPSTREAM_CERT_FILE and UPSTREAM_KEY_FILE go together: set both.');
  }
  if (ca !== undefined || cert !== undefined) checkTls(url, { ca, cert, key });
  // Without it nothing is asked by a proxy, whatever the environment of the machine says.
  if (url === undefined) return;
  for (const [name, proxy] of [
    ['HTTP_PROXY', httpProxy],
    ['HTTPS_PROXY', httpsProxy],
  ] as const) {
    if (proxy === '' || (URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol)))
      continue;
    throw new ConfigError(
      `${name} must be an http or https URL, such as http://proxy.example.com:3128; its value may hold a password and is not shown here.`,
    );
  }
}

function checkTls(
  url: URL | undefined,
  pem: Pick<ConnectionSettings, 'ca' | 'cert' | 'key'>,
): void {
  const names = pem.ca === undefined ? 'UPSTREAM_CERT_FILE' : 'UPSTREAM_CA_FILE';
  if (url?.protocol !== 'https:') {
    throw new ConfigError(`${names} needs an UPSTREAM_URL that begins with https://.`);
  }
  try {
    // What is no certificate is passed over there, and nothing is trusted then.
    if (pem.ca !== undefined) void new X509Certificate(pem.ca);
    createSecureContext(pem);
  } catch (cause) {
    const { message } = cause as Error; // OpenSSL's words, which repeat nothing of the files
    throw new ConfigError(
      `UPSTREAM_CA_FILE, UPSTREAM_CERT_FILE and UPSTREAM_KEY_FILE must hold certificates, and a key that is of the certificate and has no password, in PEM (${message}).`,
      { cause },
    );
  }
}
