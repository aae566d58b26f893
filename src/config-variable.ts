/**
 * The kinds of values that settings have: how each is read, and the error for a wrong one.
 */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { API_KEY_FORM, isApiKey } from './lib/api-key.ts';

/** A variable holds what is not allowed. The message is one line, fit for an operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** One variable: how it is read, its default, and what the error of a wrong value says. */
export interface Variable<Value> {
  readonly schema: z.ZodType<Value, string>;
  readonly unset: Value;
  readonly allowed: string;
  /** True where the value must not be shown. */
  readonly secret?: boolean;
}

/** @throws {ConfigError} when the variable holds what is not allowed. */
export function readVariable<Value>(
  name: string,
  value: string | undefined,
  { schema, unset, allowed, secret = false }: Variable<Value>,
): Value {
  if (value === undefined || value === '') return unset;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const found = secret ? 'its value is not shown here' : `got ${JSON.stringify(shown(value))}`;
  throw new ConfigError(`${name} must be ${allowed}; ${found}.`);
}

/** Hides a URL's password and the token in its query. */
const shown = (value: string): string =>
  value
    .replace(/\/\/[^/@]*@/, '//…@')
    .replace(/\?.*$/s, '?…')
    .slice(0, 200);

export const HOST: Variable<string> = {
  schema: z.string().regex(/^[\w.:-]+$/),
  unset: '127.0.0.1',
  allowed: 'a host name or an IP address',
};

export const SWITCH: Variable<boolean> = {
  schema: z.enum(['on', 'off']).transform((value) => value === 'on'),
  unset: true,
  allowed: '"on" or "off"',
};

export const TRUE_OR_FALSE: Variable<boolean> = {
  schema: z.enum(['true', 'false']).transform((value) => value === 'true'),
  unset: false,
  allowed: '"true" or "false"',
};

export const FOLDER: Variable<string | undefined> = {
  schema: z.string().refine((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory()),
  unset: undefined,
  allowed: 'a folder that is there',
};

export const WORKERS: Variable<number> = {
  ...wholeNumber(1, 1, 128),
  schema: z
    .literal('auto')
    .transform(availableParallelism)
    .or(wholeNumber(1, 1, 128).schema),
  allowed: '"auto" or a whole number from 1 to 128',
};

export const API_KEY: Variable<string | undefined> = {
  schema: z.string().refine(isApiKey),
  unset: undefined,
  allowed: API_KEY_FORM,
  secret: true,
};

export const CURSOR_SECRET: Variable<string | undefined> = {
  schema: z.string().regex(/^[\x21-\x7e]{16,1024}$/),
  unset: undefined,
  allowed: '16 to 1024 visible ASCII characters',
  secret: true,
};

export const UPSTREAM_URL: Variable<URL | undefined> = {
  schema: z
    .string()
    .refine(URL.canParse)
    .transform((value) => new URL(value))
    .refine(
      (url) =>
        /^https?:$/.test(url.protocol) &&
        !`${url.username}${url.password}${url.search}${url.hash}` &&
        // The gateway writes `/v0` itself: with a second one every call would be a 404.
        !/\/v0\/*$/.test(url.pathname),
    ),
  unset: undefined,
  allowed:
    'the absolute http or https URL before "/v0", such as https://api.example.com or https://example.com/api, without user, query or fragment',
};

export const DATABASE_URL: Variable<string> = {
  schema: z.string().regex(/^(?::memory:$|(?:file|libsql|https?|wss?):.)/),
  unset: 'file:.data/backend.db',
  allowed: 'a libSQL URL: file:…, :memory: or libsql://…',
};

const LIST = z
  .string()
  .transform((list) => list.split(',').map((item) => item.trim().toLowerCase()));

export const ALLOWED_HOSTS: Variable<readonly string[] | undefined> = {
  schema: LIST.refine((hosts) => hosts.every((host) => HOST_WITHOUT_PORT.test(host))),
  unset: undefined,
  allowed:
    'host names without ports, such as gateway.example.com or [::1], with commas between them',
};

const HOST_WITHOUT_PORT = /^(?:[\w.-]+|\[[\da-f:.]+\])$/;

export const CORS_ORIGINS: Variable<readonly string[]> = {
  schema: LIST.refine((origins) => origins.every(isOrigin)),
  unset: [],
  allowed: 'origins such as https://app.example.com, with commas between them',
};

/** Scheme, host and port as a browser sends them; `*` would let any page use a reader's network. */
const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;

export function wholeNumber(unset: number, min: number, max: number): Variable<number> {
  return {
    schema: z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number)
      .refine((value) => value >= min && value <= max),
    unset,
    allowed: `a whole number from ${min} to ${max}`,
  };
}

/** `off` is Infinity. */
export function numberOrOff(min: number, max: number): Variable<number | undefined> {
  const { schema, allowed } = wholeNumber(min, min, max);
  return {
    schema: z
      .literal('off')
      .transform(() => Infinity)
      .or(schema),
    unset: undefined,
    allowed: `"off" or ${allowed}`,
  };
}

/** `500..5000`: the least and the most, in milliseconds. */
export function rangeOfMs(
  unset: { readonly least: number; readonly most: number },
  min: number,
  max: number,
): Variable<{ readonly least: number; readonly most: number }> {
  return {
    schema: z
      .string()
      .regex(/^\d{1,9}\.\.\d{1,9}$/)
      .transform((text) => {
        const [least = 0, most = 0] = text.split('..').map(Number);
        return { least, most };
      })
      .refine(({ least, most }) => min <= least && least <= most && most <= max),
    unset,
    allowed: `two whole numbers from ${min} to ${max}, the smaller one first, such as "${unset.least}..${unset.most}"`,
  };
}

export function oneOf<const Name extends string>(
  names: readonly Name[],
  unset: Name,
): Variable<Name> {
  return {
    schema: z.enum(names),
    unset,
    allowed: names.map((name) => `"${name}"`).join(' or '),
  };
}

/** Prefixes that variables of other programs hardly have. */
const OWN_PREFIX = /^(?:UPSTREAM|BACKEND)_/;

/** What Kubernetes sets for a service of that name. */
const OF_A_SERVICE = /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP).*)?$/;

/** A sentence for each variable that is not read and looks like a misspelt one of ours. */
export function misspelt(given: readonly string[], known: readonly string[]): string[] {
  return given.flatMap((name) => {
    if (known.includes(name) || OF_A_SERVICE.test(name)) return [];
    const meant = known.find((one) => isNear(name, one));
    if (meant) return [`${name} is not a setting: was ${meant} meant?`];
    return OWN_PREFIX.test(name) ? [`${name} is not a setting: it has no effect.`] : [];
  });
}

/** Whether two names differ by one edit, or by two where the name is long. */
function isNear(name: string, known: string): boolean {
  const edits = known.length < 10 ? 1 : 2;
  if (Math.abs(name.length - known.length) > edits) return false;
  // A short name is close to many variables of other programs.
  if (known.length < 5 && name.length <= known.length) return false;
  return distance(name.toUpperCase(), known) <= edits;
}

/** Edits (Levenshtein) between two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
