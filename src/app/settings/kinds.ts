/**
 * Kinds of the core's settings. Descriptions state the allowed values in error messages.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { API_KEY_FORM, isApiKey } from '../../v0/api-key.ts';

export const HOST = z
  .string()
  .refine((text) => isIP(text) > 0 || /^[\w.-]+$/.test(text))
  .describe('a host name or an IP address, without brackets');

/** Existence is checked on loading. */
export const MODULE = z
  .string()
  .regex(/\.m?js$/)
  .describe('the path of a .js or .mjs module, such as ./plugins.mjs');

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
  .describe('the path of a readable PEM file');

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
    'a path such as /content, which begins but does not end with "/" and contains no "." or ".." segments',
  );

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
    .describe(`two whole numbers from ${min} to ${max}, the smaller first, such as "500..5000"`);

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
    'an absolute http or https URL without "/v0", user, query or fragment, such as https://api.example.com or https://example.com/api',
  );

export const DATABASE_URL = z
  .string()
  .regex(/^(?::memory:$|(?:file|libsql|https?|wss?):.)/)
  .describe('a libSQL URL: file:…, :memory: or libsql://…');

/** @param read returns the canonical form of an item; empty for an invalid one. */
const listOf = (read: (item: string) => string) =>
  z
    .string()
    .transform((list): readonly string[] =>
      list === '' ? [] : list.split(',').map((item) => read(item.trim())),
    )
    .refine((items) => items.every((item) => item !== ''));

export const HOSTS = listOf(canonicalHost).describe(
  'comma-separated host names in full, without ports, such as gateway.example.com or [::1]',
);

/** Canonical form, as in URLs of browsers; empty for an invalid name. */
function canonicalHost(text: string): string {
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(text)) return '';
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : '';
}

export const ORIGINS = listOf(originOf).describe(
  'comma-separated origins in full, without "*" or a path, such as https://app.example.com or capacitor://localhost',
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
