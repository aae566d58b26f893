/** What the editors of variables and headers hold: JSON with comments. */
import { parse } from 'jsonc-parser';

/** An empty object for what is none. */
export function objectIn(jsonc: string): Readonly<Record<string, unknown>> {
  const value: unknown = parse(jsonc);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
