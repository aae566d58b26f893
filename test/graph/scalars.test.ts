/** Timestamps: the forms that are read, and the moments that exist. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DateTime, readTimestamp } from '../../src/graph/types/scalars.ts';
import { cases } from '../support/cases.ts';

const INVALID = expect.objectContaining({
  extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
}) as Error;

const ISO_8601 = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Whether a day exists: `Date` parses February 30 as a day in March. */
const isDay = (text: string): boolean => {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};

/** The rule at its shortest, without the fast path for the usual form. */
const isMoment = (text: string): boolean =>
  (!Number.isNaN(Date.parse(text)) && isDay(ISO_8601.exec(text)?.[1] ?? '')) ||
  (/^\+[1-9]\d{1,14}$/.test(text) && new Date(Number(text)).getUTCFullYear() <= 9999);

const accepts = (value: unknown): boolean => {
  try {
    return typeof readTimestamp(value) === 'string';
  } catch {
    return false;
  }
};

/** The last millisecond of the year 9999. */
const LAST = Date.UTC(10_000, 0) - 1;

/** Two digits, mostly within their range. */
const digits = (max: number) =>
  fc
    .oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: max + 1 }) },
      fc.integer({ min: 0, max: 99 }),
    )
    .map((number) => String(number).padStart(2, '0'));

const timestamps = fc
  .tuple(
    fc.integer({ min: 0, max: 9_999 }).map((year) => String(year).padStart(4, '0')),
    digits(12),
    digits(31),
    digits(23),
    digits(59),
    digits(59),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{0,12}$/)),
    fc.oneof(
      fc.constantFrom('Z', '', 'z'),
      fc
        .tuple(fc.constantFrom('+', '-'), digits(23), digits(59))
        .map(([sign, h, m]) => `${sign}${h}:${m}`),
    ),
  )
  .map(
    ([y, mo, d, h, mi, s, fraction, zone]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${fraction}${zone}`,
  );

/** Milliseconds, many of them about the end of the year 9999. */
const epochs = fc
  .oneof(
    fc.nat({ max: 999_999_999_999_999 }),
    fc.integer({ min: -5, max: 5 }).map((n) => LAST + n),
  )
  .map((ms) => `+${ms}`);

describe('a timestamp', () => {
  it('is accepted exactly if its format is valid and its instant exists', () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 20, arbitrary: timestamps }, epochs, fc.string()), (text) => {
        expect(accepts(text)).toBe(isMoment(text));
      }),
      { numRuns: cases(5_000) },
    );
  });

  it.each([
    ['2026-03-01T09:30:00.000Z', '2026-03-01T09:30:00.000Z'],
    ['2024-02-29T23:59:59+14:00', '2024-02-29T23:59:59+14:00'],
    ['2026-01-31T00:00Z', '2026-01-31T00:00Z'],
    ['+1700000000000', '2023-11-14T22:13:20.000Z'],
    ['+253402300799999', '9999-12-31T23:59:59.999Z'],
  ])('%s is returned as %s', (given, shown) => {
    expect(readTimestamp(given)).toBe(shown);
  });

  it.each([
    '2026-13-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-03-01',
    '2026-03-01T09:30:00.123',
    '2026-03-01T09:30:00+0000',
    '2026-03-01 09:30:00Z',
    '0000-00-00 00:00:00',
    '2016-12-31T23:59:60Z',
    'yesterday',
    '+0',
    1_700_000_000_000,
    null,
  ])('cannot be %s', (given) => {
    expect(() => readTimestamp(given)).toThrow(INVALID);
  });

  it.each(['+253402300800000', '+999999999999999'])('cannot be %s, past the year 9999', (given) => {
    expect(() => readTimestamp(given)).toThrow(/\b9999\b/);
  });

  it.each(['+033658-09-27T01:46:40.000Z', '12026-03-01T09:30:00Z', '-000001-01-01T00:00:00Z'])(
    'has a year of four digits in responses and in input, unlike %s',
    (given) => {
      expect(() => readTimestamp(given)).toThrow(INVALID);
      expect(() => DateTime.parseValue(given)).toThrow(/ISO 8601/);
    },
  );
});
