/**
 * `DateTime`, `SafeInt` and `JSON`.
 *
 * Timestamps in any form of the backend become ISO 8601, and are never guessed.
 */
import { GraphQLScalarType, Kind } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { badInput, invalidResponse } from '../errors.ts';

export type ScalarTypes = {
  DateTime: { Input: string; Output: string };
  SafeInt: { Input: number; Output: number };
  JSON: { Input: unknown; Output: unknown };
};

const ISO_8601 = /^(\d{4}-\d{2}-(\d{2}))T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Fast path: valid ISO 8601 on a day from 1 to 28 needs no parsing. */
const PLAIN_MOMENT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-][01]\d:[0-5]\d)$/;

/** Pattern of timestamps. Source: interface.md, "Conventions". */
const PLUS_DIGITS = /^\+[1-9]\d{1,14}$/;

/** The last millisecond of the year 9999: ISO 8601 writes later years with a sign and six digits. */
const MAX_EPOCH_MS = 253_402_300_799_999;

/**
 * Reads ISO 8601 unchanged, and `+` with digits as epoch milliseconds. Assumed: see docs/assumptions.md.
 *
 * @throws UPSTREAM_INVALID_RESPONSE for other values.
 */
export function readTimestamp(value: unknown): string {
  if (typeof value === 'string') {
    if (PLAIN_MOMENT.test(value) || isMoment(value)) return value;
    if (PLUS_DIGITS.test(value)) {
      const epochMs = Number(value);
      if (epochMs <= MAX_EPOCH_MS) return new Date(epochMs).toISOString();
      throw invalidResponse('Backend returned a timestamp after the year 9999.');
    }
  }
  throw invalidResponse(
    'Backend returned a timestamp that is neither ISO 8601 with "Z" or an offset such as "+02:00", nor "+" and digits.',
  );
}

function isMoment(text: string): boolean {
  const [, date, day] = ISO_8601.exec(text) ?? [];
  // Detects overflows: February 30 is parsed as a day in March.
  return (
    date !== undefined &&
    new Date(date).getUTCDate() === Number(day) &&
    !Number.isNaN(Date.parse(text))
  );
}

export const DateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description: 'Date and time in ISO 8601, such as `2026-03-01T09:30:00.000Z`.',
  specifiedByURL: 'https://www.iso.org/iso-8601-date-and-time-format.html',
  serialize: readTimestamp,
  parseValue: (value) => {
    if (typeof value === 'string' && isMoment(value)) return value;
    throw badInput('Invalid DateTime. Use ISO 8601, such as "2026-03-01T09:30:00.000Z".');
  },
});

/** Input numbers pass unchecked: only forms have them, and their limits report 1.5 or 1e300 in `userErrors`. */
export const SafeInt = new GraphQLScalarType<number>({
  ...GraphQLSafeInt.toConfig(),
  name: 'SafeInt',
  parseValue: (value) =>
    typeof value === 'number' ? value : (GraphQLSafeInt.parseValue(value) as number),
  parseLiteral: (node, variables) =>
    node.kind === Kind.INT || node.kind === Kind.FLOAT
      ? Number(node.value)
      : (GraphQLSafeInt.parseLiteral(node, variables) as number),
  description:
    'Integer from -(2^53 - 1) to 2^53 - 1, the range that JSON numbers represent exactly.',
});

export const Json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value, as returned by the backend.',
  specifiedByURL: 'https://ecma-international.org/publications-and-standards/standards/ecma-404/',
});
