/**
 * Kinds of settings. Descriptions state the allowed values in error messages.
 */
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { API_KEY_FORM, isApiKey } from '../../v0/api-key.ts';

export const HOST = z
  .string()
  .refine((text) => isIP(text) > 0 || /^[\w.-]+$/.test(text))
  .describe('a host name or an IP address, without brackets');

export const ON_OR_OFF = z
  .enum(['on', 'off'])
  .transform((value) => value === 'on')
  .describe('"on" or "off"');

export const TRUE_OR_FALSE = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .describe('"true" or "false"');

/** Existence is checked on loading. */
export const MODULE = z
  .string()
  .regex(/\.m?js$/)
  .describe('the path of a module, such as ./plugins.mjs');

export const FOLDER = z
  .string()
  .refine((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
  .describe('a folder that is there');

/** Existence is checked on reading or writing. */
export const FOLDER_PATH = z.string().min(1).describe('the path of a folder');

/** Content of a PEM file. */
export const PEM_FILE = z
  .string()
  .transform((path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  })
  .refine((text) => text.includes('-----BEGIN '))
  .describe('the path of a file that can be read, and is PEM');

/** Longer paths are cut by the system. */
export const SOCKET_PATH = z
  .string()
  .regex(/^\/./)
  .refine((path) => Buffer.byteLength(path) <= 103)
  .describe('an absolute path of at most 103 bytes, such as /run/backend.sock');

/** URL path that the gateway is mounted at. */
export const BASE_PATH = z
  .string()
  .regex(/^(?:\/(?!\.\.?(?:\/|$))[\w.~-]{1,64}){0,8}$/)
  .describe(
    'a path that begins with "/" and does not end with it, without "." and "..", such as /content',
  );

export const TEXT = z.string().describe('a text');

export const FILE_NAME = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .describe('1 to 64 letters, digits, "_" or "-"');

const digits = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);

export const wholeNumber = (min: number, max: number) =>
  digits(min, max).describe(`a whole number from ${min} to ${max}`);

export const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names).describe(names.map((name) => `"${name}"`).join(' or '));

/** Names of the OpenTelemetry specification, case-insensitive. */
export const oneOfStandard = <const Name extends string>(names: readonly Name[]) =>
  z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(oneOf(names))
    .describe(oneOf(names).description!);

/** `500..5000`: minimum and maximum, in milliseconds. */
export const rangeOfMs = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}\.\.\d{1,9}$/)
    .transform((text) => {
      const [least = 0, most = 0] = text.split('..').map(Number);
      return { least, most };
    })
    .refine(({ least, most }) => min <= least && least <= most && most <= max)
    .describe(
      `two whole numbers from ${min} to ${max}, the smaller one first, such as "500..5000"`,
    );

export const API_KEY = z.string().refine(isApiKey).describe(API_KEY_FORM);

export const UPSTREAM_URL = z
  .string()
  .refine(URL.canParse)
  .transform((value) => new URL(value))
  .refine(
    (url) =>
      /^https?:$/.test(url.protocol) &&
      !`${url.username}${url.password}${url.search}${url.hash}` &&
      // The gateway adds `/v0`; with a second one every call would be a 404.
      !/\/v0\/*$/.test(url.pathname),
  )
  .describe(
    'the absolute http or https URL before "/v0", such as https://api.example.com or https://example.com/api, without user, query or fragment',
  );

const HTTP_URL = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))
  .describe('an absolute http or https URL, such as http://127.0.0.1:4318');

export const COLLECTOR_URL = HTTP_URL.transform((value) => new URL(value))
  .refine(({ hash }) => hash === '')
  .describe('an absolute http or https URL without fragment, such as http://127.0.0.1:4318');

/** Whether percent-encoded bytes of a text are UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    // Bundlers remove calls of pure functions whose result is not used.
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

export const DATABASE_URL = z
  .string()
  .regex(/^(?::memory:$|(?:file|libsql|https?|wss?):.)/)
  .describe('a libSQL URL: file:…, :memory: or libsql://…');

export const REDIS_URL = z
  .string()
  .refine(
    (text) =>
      /^(?:unix:\/\/\/|rediss?:\/\/)./.test(text) && URL.canParse(text) && isRedis(new URL(text)),
  )
  .describe(
    'a Redis URL: redis://user:password@host:6379/0, rediss://… for TLS, or unix:///path/of/its/socket',
  );

/** Restricts the query, since ioredis reads parameters as options. */
const isRedis = ({ protocol, pathname, search, username, password }: URL): boolean =>
  isDecodable(username + password) &&
  (protocol === 'unix:' || /^(?:\/\d{0,5})?$/.test(pathname)) &&
  /^(?:\?family=[046])?$/.test(search);

export const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `600/m`: a number per time unit. */
export const RATE = z
  .string()
  .regex(/^[1-9]\d{0,6}\/[smh]$/)
  .transform((text) => {
    const [calls, unit] = text.split('/') as [string, keyof typeof UNITS_MS];
    return { calls: Number(calls), windowMs: UNITS_MS[unit] };
  })
  .describe(
    'a whole number up to 9999999 a second, a minute or an hour, such as 10/s, 600/m or 36000/h',
  );

/** A secret that is too long to guess. */
export const SECRET = z.string().min(16).max(1_024).describe('a text of 16 to 1024 characters');

const LIST = z
  .string()
  .transform((list): readonly string[] =>
    list === '' ? [] : list.split(',').map((item) => item.trim().toLowerCase()),
  );

export const HOSTS = LIST.transform((hosts): readonly string[] => hosts.map(canonicalHost))
  .refine((hosts) => hosts.every((host) => host !== ''))
  .describe(
    'host names without ports, such as gateway.example.com or [::1], with commas between them, each in full',
  );

/** Canonical form, as in URLs of browsers; empty for an invalid name. */
function canonicalHost(text: string): string {
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(text)) return '';
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : '';
}

export const ORIGINS = z
  .string()
  .transform((list): readonly string[] =>
    list === '' ? [] : list.split(',').map((item) => originOf(item.trim())),
  )
  .refine((origins) => origins.every((origin) => origin !== ''))
  .describe(
    'origins such as https://app.example.com or capacitor://localhost, with commas between them, each in full: none with "*", and no path',
  );

/**
 * Canonical origin, as browsers send it; empty for an invalid one.
 *
 * Apps in a web view and browser extensions have their own schemes. Invalid here: `null`, the shared origin of files and
 * sandboxed pages.
 */
function originOf(text: string): string {
  if (!URL.canParse(text) || text.includes('*')) return '';
  const { protocol, host, origin } = new URL(text);
  const own = origin === 'null' ? `${protocol}//${host}` : origin;
  return host !== '' && own.toLowerCase() === text.toLowerCase() ? own : '';
}
