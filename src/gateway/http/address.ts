/**
 * Checks a request's path (`BASE_PATH`) and host (`ALLOWED_HOSTS`).
 */
import type { IncomingMessage } from 'node:http';
import { errorResponse, notFound } from '../operation/client-error.ts';

/** Not checked: orchestrators use other addresses and names, and the responses reveal nothing to a page. */
const PROBES = new Set(['/health', '/ready']);

/** A request target with a host. Source: RFC 9112, "absolute-form". */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]+)(.*)$/i;

/**
 * Converts a target in absolute form to a path, and removes the base path.
 *
 * @returns the client error (404 or 421) of a wrong path or host.
 */
export type CheckAddress = (incoming: IncomingMessage) => Response | undefined;

/**
 * @param basePath prefix of all paths; may be empty.
 * @param allowedHosts in lower case, without ports; undefined allows any.
 */
export const createAddressCheck =
  (basePath: string, allowedHosts: readonly string[] | undefined): CheckAddress =>
  (incoming) => {
    if (!incoming.url?.startsWith('/')) toOriginForm(incoming);
    const url = pathBelow(basePath, incoming.url ?? '/');
    if (url === undefined) {
      return notFound([`${basePath}/graphql`]);
    }
    incoming.url = url;
    if (!allowedHosts) return undefined;
    // Node uses the first, and a proxy may have checked another one. Source: RFC 9112, 3.2.
    if ((incoming.headersDistinct['host']?.length ?? 0) > 1) {
      return errorResponse(400, 'BAD_REQUEST', 'Multiple `Host` headers. Send one.');
    }
    const { host = '' } = incoming.headers;
    if (isAllowed(host, allowedHosts) || PROBES.has(pathOf(url))) return undefined;
    return errorResponse(
      421,
      'HOST_NOT_ALLOWED',
      `Host ${JSON.stringify(host.slice(0, 100))} is not allowed. Add it to ALLOWED_HOSTS, or use a host in that list.`,
    );
  };

/** The host of an absolute target takes precedence over the header `Host`. */
function toOriginForm(incoming: IncomingMessage): void {
  const [, host, rest = ''] = ABSOLUTE_FORM.exec(incoming.url ?? '') ?? [];
  if (host === undefined) return;
  incoming.headers.host = host;
  incoming.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** Removes the base path: `/content/graphql?a` → `/graphql?a`; undefined for other paths. */
function pathBelow(basePath: string, url: string): string | undefined {
  if (basePath === '') return url;
  const path = url.startsWith(basePath) ? url.slice(basePath.length) : undefined;
  return path === '' ? '/' : path?.startsWith('/') ? path : undefined;
}

/** The path of a request target as sent, since the rules of proxies apply to that form. */
export const pathOf = (url: string): string => url.split('?', 1)[0]!;

/** Ignores the port, and the dot at the end of an absolute name. */
const isAllowed = (host: string, allowed: readonly string[]): boolean =>
  allowed.includes(host) || allowed.includes(host.toLowerCase().replace(/\.?(?::\d*)?$/, ''));
