/**
 * Which requests are for this gateway: those below its path (`BASE_PATH`) that name one of its hosts
 * (`ALLOWED_HOSTS`).
 */
import type { IncomingMessage } from 'node:http';
import { errorResponse } from '../operation/client-error.ts';

/** Requests of orchestrators, which ask by addresses and names of their own; a page learns nothing from the responses. */
const PROBES = new Set(['/health', '/ready']);

/** A target that names its host itself. Source: RFC 9112, "absolute-form". */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]+)(.*)$/i;

/**
 * Makes a target in absolute form a path, and strips the base path from it.
 *
 * @returns the client error (404 or 421) of one that is not for this gateway.
 */
export type CheckAddress = (incoming: IncomingMessage) => Response | undefined;

/**
 * @param basePath what each path begins with; empty for nothing.
 * @param allowedHosts in lower case and without ports; undefined for any.
 */
export const createAddressCheck =
  (basePath: string, allowedHosts: readonly string[] | undefined): CheckAddress =>
  (incoming) => {
    if (!incoming.url?.startsWith('/')) toOriginForm(incoming);
    const url = pathBelow(basePath, incoming.url ?? '/');
    if (url === undefined) {
      return errorResponse(404, 'NOT_FOUND', `Nothing is here: ask for ${basePath}/graphql.`);
    }
    incoming.url = url;
    const { host = '' } = incoming.headers;
    if (!allowedHosts || isAllowed(host, allowedHosts) || PROBES.has(url)) return undefined;
    return errorResponse(
      421,
      'HOST_NOT_ALLOWED',
      `This gateway does not answer as ${JSON.stringify(host.slice(0, 100))}: add the name to ALLOWED_HOSTS, or ask by one that is in it.`,
    );
  };

/** The header `Host` does not count beside a target that names the host. */
function toOriginForm(incoming: IncomingMessage): void {
  const [, host, rest = ''] = ABSOLUTE_FORM.exec(incoming.url ?? '') ?? [];
  if (host === undefined) return;
  incoming.headers.host = host;
  incoming.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** What is asked for below it: `/content/graphql?a` → `/graphql?a`; undefined for what is not below it. */
function pathBelow(basePath: string, url: string): string | undefined {
  if (basePath === '') return url;
  const path = url.startsWith(basePath) ? url.slice(basePath.length) : undefined;
  return path === '' ? '/' : path?.startsWith('/') ? path : undefined;
}

/** Compared without the port. */
const isAllowed = (host: string, allowed: readonly string[]): boolean =>
  allowed.includes(host) || allowed.includes(host.toLowerCase().replace(/:\d*$/, ''));
