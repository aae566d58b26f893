/**
 * Kinds of settings, of the core and of extensions. Descriptions state the allowed values in error messages.
 */
import { statSync } from 'node:fs';
import { z } from 'zod';
import { orUndefined } from '../../lib/or-undefined.ts';

/** Both spellings of a switch. */
const SPELLINGS: Readonly<Record<string, string>> = { true: 'on', false: 'off' };

/** `"on", "keys" or "off"`. Not with `Intl.ListFormat`, whose tables take 4 MB of memory. */
const either = (names: readonly string[]): string =>
  names
    .map((name) => `"${name}"`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');

/** A switch that may have further values. */
export const switchOr = <const Name extends string>(...others: readonly Name[]) =>
  z
    .string()
    .transform((text) => SPELLINGS[text] ?? text)
    .pipe(z.enum(['on', 'off', ...others]))
    .describe(either(['on', ...others, 'off']));

export const ON_OR_OFF = switchOr()
  .transform((value) => value === 'on')
  .describe('"on" or "off"');

export const TEXT = z.string().describe('a string');

export const UNQUOTED = z
  .string()
  .regex(/^[^"']*$/)
  .describe('a string without quotes, which `docker run --env-file` does not strip');

export const FOLDER = z
  .string()
  .refine((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
  .describe('an existing folder');

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max)
    .describe(`a whole number from ${min} to ${max}`);

export const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names).describe(either(names));

/** Milliseconds of the units of times and rates. */
export const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Whether percent-encoded bytes are UTF-8. */
export const isDecodable = (text: string): boolean =>
  orUndefined(() => decodeURIComponent(text)) !== undefined;
