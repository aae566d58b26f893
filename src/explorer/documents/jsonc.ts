/** The text of the editors of variables and headers: JSON with comments. */
import { parse } from 'jsonc-parser';

/** Returns the object in the text, or an empty object. */
export function objectIn(jsonc: string): Readonly<Record<string, unknown>> {
  const value: unknown = parse(jsonc);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
