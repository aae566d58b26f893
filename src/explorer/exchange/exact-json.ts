/**
 * JSON with its numbers as they were written: JavaScript rounds integers of more than 53 bits.
 */
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
