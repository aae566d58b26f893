/**
 * JSON of responses with its numbers as they were written, since JavaScript rounds integers of more than 53 bits, and
 * JSON with comments of the editors.
 */
import { parse } from 'jsonc-parser';

declare global {
  // Of ECMAScript 2026, which not all browsers have.
  interface JSON {
    rawJSON?(text: string): object;
    isRawJSON?(value: unknown): boolean;
  }
}

/** Numbers that JavaScript would write in another way become objects, which `JSON.stringify` writes as they came. */
export function parseExactly(json: string): unknown {
  const reviver = (
    _key: string,
    value: unknown,
    context?: { readonly source?: string },
  ): unknown => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && String(value) !== source
      ? (JSON.rawJSON?.(source) ?? value)
      : value;
  };
  return JSON.parse(json, reviver);
}

export const isNumberAsWritten = (value: unknown): boolean => JSON.isRawJSON?.(value) ?? false;

/** Returns the object in the text of an editor, or an empty object. */
export function objectIn(jsonc: string): Readonly<Record<string, unknown>> {
  const value: unknown = parse(jsonc);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
