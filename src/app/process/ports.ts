/**
 * Opens the ports of the settings: `PORT`, and `ADMIN_PORT` for operators.
 *
 * Errors of unavailable addresses name the setting to change.
 */
import { OperatorError } from '../../lib/operator-error.ts';
import type { Gateway } from '../../gateway/options.ts';
import {
  openHttpServer,
  type HttpOptions,
  type HttpServer,
} from '../../gateway/http/http-server.ts';
import type { Site } from '../../gateway/http/site.ts';
import type { Logger } from '../../gateway/observe/logs/logger.ts';
import type { StopTimes } from './lifecycle.ts';

interface PortOptions extends HttpOptions {
  readonly adminPort: number | undefined;
}

/** @throws {OperatorError} if a host or port is unavailable. */
export async function openPorts(
  gateway: Gateway,
  { adminPort, ...http }: PortOptions,
  logger: Logger,
) {
  if (http.reusePort) checkReusePort(process.versions.node);
  const server = await open('PORT', gateway, http);
  const admin =
    adminPort === undefined
      ? undefined
      : await open('ADMIN_PORT', gateway.admin, {
          ...http,
          port: adminPort,
          socketPath: undefined,
          basePath: '',
          // Prometheus and orchestrators use the address of a pod or the name of a service.
          allowedHosts: undefined,
          // Metrics and readiness are of one process.
          reusePort: false,
        });
  if (admin) logger.info(`Metrics and readiness at ${admin.url}`);
  return {
    /** Without a path. */
    url: server.url,
    /** Closes the admin port last. @returns whether all requests were finished. */
    close: async ({ shutdownTimeoutMs, drainDelayMs }: StopTimes): Promise<boolean> => {
      const finished = await server.close(shutdownTimeoutMs, drainDelayMs);
      await admin?.close(0);
      return finished;
    },
  };
}

/** @throws {OperatorError} for a Node that ignores `reusePort`. */
function checkReusePort(node: string): void {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12)) return;
  throw new OperatorError(
    `REUSE_PORT=on needs Node 22.12, 23.1 or later, but this is ${node}. Give each process its own PORT behind a proxy.`,
  );
}

function open(setting: string, site: Site, options: HttpOptions): Promise<HttpServer> {
  return openHttpServer(site, options).catch((error: NodeJS.ErrnoException) => {
    throw portError(error, options, setting);
  });
}

type Address = Pick<HttpOptions, 'host' | 'port' | 'socketPath'>;

/** Translates Node's errors of unavailable addresses into ones that name the setting; returns others unchanged. */
export function portError(error: NodeJS.ErrnoException, address: Address, setting: string): Error {
  const why = reasonOf(error.code, address, setting);
  return why === undefined ? error : new OperatorError(why, { cause: error });
}

function reasonOf(code = '', { host, port, socketPath }: Address, setting: string) {
  if (socketPath !== undefined) {
    return `Cannot listen on UNIX_SOCKET ${socketPath} (${code}). Stop the process that uses it, or set a path in a writable folder.`;
  }
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Stop the process that uses it, or set ${setting} to another port.`;
    case 'ENOTSUP':
      return `REUSE_PORT=on needs Linux or BSD. Give each process its own PORT behind a proxy.`;
    case 'EACCES':
      return `Port ${port} on ${host} needs privileges that this user lacks. Set ${setting} to a port above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST ${host} is not an address of this machine. Set HOST to one that is, such as 127.0.0.1.`;
    default:
      return undefined;
  }
}
