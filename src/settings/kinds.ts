/**
 * What the text of a setting may be. A description is what a refusal says is allowed.
 */
import { readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { API_KEY_FORM, isApiKey } from '../v0/api-key.ts';

export const HOST = z
  .string()
  .regex(/^[\w.:-]+$/)
  .describe('a host name or an IP address');

export const ON_OR_OFF = z
  .enum(['on', 'off'])
  .transform((value) => value === 'on')
  .describe('"on" or "off"');

export const TRUE_OR_FALSE = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .describe('"true" or "false"');

/** Whether there is such a file is told when it is loaded. */
export const MODULE = z
  .string()
  .regex(/\.m?js$/)
  .describe('the path of a module, such as ./plugins.mjs');

export const FOLDER = z
  .string()
  .refine((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
  .describe('a folder that is there');

/** Whether there is one is told when it is read or written. */
export const FOLDER_PATH = z.string().min(1).describe('the path of a folder');

/** What a file holds. */
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

/** Longer ones are cut by the system. */
export const SOCKET_PATH = z
  .string()
  .regex(/^\/.{1,102}$/)
  .describe('an absolute path of at most 103 characters, such as /run/backend.sock');

/** Of a URL, where the gateway is below it. */
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

export const WORKERS = z
  .literal('auto')
  .transform(availableParallelism)
  .or(digits(1, 128))
  .describe('"auto" or a whole number from 1 to 128');

/** `500..5000`: the least and the most, in milliseconds. */
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
      // The gateway writes `/v0` itself: with a second one every call would be a 404.
      !/\/v0\/*$/.test(url.pathname),
  )
  .describe(
    'the absolute http or https URL before "/v0", such as https://api.example.com or https://example.com/api, without user, query or fragment',
  );

export const HTTP_URL = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))
  .describe('an absolute http or https URL, such as http://127.0.0.1:4318');

export const RATIO = z
  .string()
  .regex(/^(?:0|1|1\.0+|0?\.\d{1,9})$/)
  .transform(Number)
  .describe('a number from 0 to 1, such as 0.01');

export const DATABASE_URL = z
  .string()
  .regex(/^(?::memory:$|(?:file|libsql|https?|wss?):.)/)
  .describe('a libSQL URL: file:…, :memory: or libsql://…');

export const REDIS_URL = z
  .string()
  .refine(
    (text) => /^unix:\/\/\/./.test(text) || (/^rediss?:\/\/./.test(text) && URL.canParse(text)),
  )
  .describe('a Redis URL: redis://…, rediss://… for TLS, or unix:///path/of/its/socket');

export const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `600/m`: how much, in which window. */
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

/** A secret that is too long to be guessed. */
export const SECRET = z.string().min(16).max(1_024).describe('a text of 16 to 1024 characters');

const LIST = z
  .string()
  .transform((list): readonly string[] =>
    list === '' ? [] : list.split(',').map((item) => item.trim().toLowerCase()),
  );

export const HOSTS = LIST.refine((hosts) =>
  hosts.every((host) => /^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(host)),
).describe(
  'host names without ports, such as gateway.example.com or [::1], with commas between them',
);

export const ORIGINS = LIST.refine((origins) => origins.every(isOrigin)).describe(
  'origins such as https://app.example.com, with commas between them',
);

/** Scheme, host and port as a browser sends them; `*` would let any page use a reader's network. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}
