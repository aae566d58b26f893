/**
 * Names of forwarded headers, and headers that must not be forwarded: they would break a call, or be wrong.
 */
import { z } from 'zod';
import { ConfigError } from '../../gateway/settings/setting.ts';

/** Maximum number of names in a setting. */
export const MAX_NAMES = 16;

const NAME = /^[a-z\d!#$%&'*+.^_`|~-]{1,64}$/;

/** Lower-case names without duplicates. */
export const HEADER_NAMES = z
  .string()
  .transform((list): readonly string[] =>
    list === '' ? [] : [...new Set(list.split(',').map((name) => name.trim().toLowerCase()))],
  )
  .refine((names) => names.length <= MAX_NAMES && names.every((name) => NAME.test(name)))
  .describe(`at most ${MAX_NAMES} comma-separated header names, such as accept-language`);

/** Hop-by-hop headers. Source: RFC 9110, "Connection"; RFC 9113, "Connection-Specific Header Fields". */
const OF_CONNECTIONS = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
];

/** Returns why a header must not be forwarded to the backend; undefined if it may. */
function whyNotForwarded(name: string, own: readonly string[]): string | undefined {
  if (OF_CONNECTIONS.includes(name)) return 'it is a hop-by-hop header';
  if (name === 'x-api-key') return 'the API key is always forwarded';
  if (OWN_OF_CALLS.includes(name) || own.includes(name)) {
    return 'the gateway sets it on each call';
  }
  if (/^if-|^range$/.test(name)) return 'it would make responses conditional or partial';
  if (/^content-|^trace(?:parent|state)$|^baggage$/.test(name)) {
    return 'it describes the request to the gateway';
  }
  return undefined;
}

const OWN_OF_CALLS = ['host', 'accept', 'accept-encoding', 'x-request-id', 'set-cookie'];

/** Returns why a header of the backend must not be exposed; undefined if it may. */
function whyNotExposed(name: string, own: readonly string[]): string | undefined {
  if (OF_CONNECTIONS.includes(name)) return 'it is a hop-by-hop header';
  if (name === 'x-api-key') return 'it may contain the API key of the deployment';
  if (/^set-cookie2?$/.test(name)) return 'cookies are not supported';
  if (/^content-|^location$|^accept-ranges$/.test(name)) {
    return 'it describes a single REST response';
  }
  const isOwn = OWN_OF_RESPONSES.test(name) || own.includes(name);
  return isOwn ? 'the gateway sets it on each response' : undefined;
}

const OWN_OF_RESPONSES =
  /^(?:x-request-id|server-timing|retry-after|etag|last-modified|cache-control|expires|age|date|vary|x-accel-.*|access-control-.*)$/;

interface HeaderNames {
  readonly forward: readonly string[];
  readonly expose: readonly string[];
}

/**
 * @param own names of headers of extensions.
 * @throws {ConfigError} for the first forbidden name.
 */
export function checkHeaders({ forward, expose }: HeaderNames, own: readonly string[]): void {
  for (const name of forward) rejectHeader('FORWARD_HEADERS', name, whyNotForwarded(name, own));
  for (const name of expose) rejectHeader('EXPOSE_HEADERS', name, whyNotExposed(name, own));
}

function rejectHeader(setting: string, name: string, why: string | undefined): void {
  if (why === undefined) return;
  throw new ConfigError(`${setting} must not contain ${name}: ${why}. Remove it.`);
}
