/**
 * Parses JSON of bytes: charsets, limits of shape, and numbers that a double cannot represent.
 *
 * Limits of shape are needed because parsing blocks the process (five megabytes of empty objects take a third of a
 * second) and JSON.stringify recurses.
 */
import { isUtf8 } from 'node:buffer';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';

/** Maximum nesting; the document's maximum is 7. */
export const MAX_DEPTH = 64;

/** Maximum number of values of a response; a page of 100 audiences has 6,000. */
export const MAX_VALUES = 150_000;

/** Length up to which JSON is not checked, in characters. */
export const SMALL = 256 * 1024;

/**
 * Returns the parsed value; undefined for invalid JSON, or for more than 256 K characters with too many levels or values.
 *
 * @param text without a byte order mark.
 */
export function parseJson(text: string, revive?: Parameters<typeof JSON.parse>[1]): unknown {
  if (text.length > SMALL && !isModest(text)) return undefined;
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

/** Charsets of a content type; of several types, as of two header lines, in order. */
const CHARSET = /;\s*charset\s*=\s*["']?([^\s;,"']+)/gi;

/**
 * Converts a body to text without a byte order mark; undefined if its bytes are not UTF-8, and its type names no known
 * charset that they are valid in.
 *
 * JSON is UTF-8, and a charset has no effect (RFC 8259, sections 8.1 and 11), so the charset is used for other bytes
 * only. NUL is valid UTF-8, but not JSON: it shows UTF-16.
 */
export function decodeText(body: Buffer, type: string): string | undefined {
  const text = body.toString();
  // Bytes that are not UTF-8 become U+FFFD, which may also have been sent.
  if ((!text.includes('\ufffd') || isUtf8(body)) && !text.includes('\0')) {
    return withoutByteOrderMark(text);
  }
  const charset = [...type.matchAll(CHARSET)].at(-1)?.[1];
  if (charset === undefined) return undefined;
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    return decoder.encoding === 'windows-1252' ? windows1252(body) : decoder.decode(body);
  } catch {
    return undefined;
  }
}

/** Decodes windows-1252, of which Node 20 decodes 0x80 to 0x9F as ISO-8859-1. */
const windows1252 = (body: Buffer): string =>
  body
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]!);

/** Characters of 0x80 to 0x9F; five are not assigned. Source: https://encoding.spec.whatwg.org/#windows-1252 */
const WINDOWS_1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/** Notations of numbers so small that a double may be zero. Apart, since one expression for both takes five times as long. */
const SMALL_EXPONENT = /[eE]-\d{3}/;
const SMALL_FRACTION = `.${'0'.repeat(300)}`;

/** Whether a number may have become zero. A cheap check, since zeros are frequent. */
export const mayHaveVanished = (text: string): boolean =>
  SMALL_EXPONENT.test(text) || text.includes(SMALL_FRACTION);

/** Maximum length of a compared number, in characters; exact doubles have at most 309 digits. */
const LONGEST_NUMBER = 400;

/**
 * Finds numbers that a double cannot represent: those beyond ±(2^53 - 1) that it rounds, and those that become zero.
 * Returns their notations by double. Fractions are rounded to the nearest double, as those of GraphQL's Float.
 *
 * @param text JSON.
 */
export function inexactNumbers(text: string): Map<number, string> {
  const found = new Map<number, string>();
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) === QUOTE) i = endOfText(text, i);
    if (!isOfNumber(text.charCodeAt(i))) continue;
    const start = i;
    while (isOfNumber(text.charCodeAt(i + 1))) i += 1;
    const written = text.slice(start, i + 1);
    const value = Number(written);
    if (isToCompare(value) && !isHeld(written, value)) {
      found.set(value, written);
    }
  }
  return found;
}

/** Whether this version of Node has `JSON.rawJSON` (from 22 on). */
export const WRITES_ALL_NUMBERS = 'rawJSON' in JSON;

/** Like `parseJson`, with raw JSON instead of numbers that a double cannot represent. */
export function parseExactly(text: string): unknown {
  const { rawJSON } = JSON as unknown as RawJson;
  const revive = (_name: string, value: unknown, context?: { readonly source?: string }) => {
    const written = context?.source ?? '';
    const isSafe = typeof value !== 'number' || !isToCompare(value);
    return isSafe || isHeld(written, value) ? value : rawJSON(written);
  };
  return parseJson(text, revive);
}

/** Returns the text of a raw number of `parseExactly`; undefined for other values. */
export const writtenAs = (value: unknown): string | undefined =>
  WRITES_ALL_NUMBERS && (JSON as unknown as RawJson).isRawJSON(value)
    ? (value as { readonly rawJSON: string }).rawJSON
    : undefined;

interface RawJson {
  rawJSON(written: string): unknown;
  isRawJSON(value: unknown): boolean;
}

const isToCompare = (value: number): boolean =>
  value === 0 || Math.abs(value) > Number.MAX_SAFE_INTEGER;

const isHeld = (written: string, value: number): boolean => {
  if (value === 0) return !/^[^e]*[1-9]/i.test(written);
  const exactly = decimal(written);
  return exactly !== undefined && exactly === decimal(String(value));
};

/** Digits, signs, the point and the exponent's letter. */
const isOfNumber = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].includes(code);

/** Normalises a number's text to digits and a power of ten. */
function decimal(written: string): string | undefined {
  const parts = written.length > LONGEST_NUMBER ? null : NUMBER.exec(written);
  if (!parts) return undefined;
  const [, sign, whole, fraction = '', exponent = '0'] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

function isModest(text: string): boolean {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfText(text, i);
        break;
      case COMMA:
        if (++values > MAX_VALUES) return false;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > MAX_DEPTH || ++values > MAX_VALUES) return false;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return true;
}

function endOfText(text: string, start: number): number {
  let i = start + 1;
  for (; i < text.length && text.charCodeAt(i) !== QUOTE; i++) {
    if (text.charCodeAt(i) === BACKSLASH) i++;
  }
  return i;
}
