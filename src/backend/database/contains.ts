/** Whether a column holds a text, in either case of letters; no letter of it is a wildcard. */
import { sql } from 'drizzle-orm';
import type { Column, SQL } from 'drizzle-orm';

// Both sides are lowered by SQLite: its lower() knows A to Z only, and JavaScript's knows more.
export const contains = (column: Column, text: string): SQL =>
  sql`instr(lower(coalesce(${column}, '')), lower(${text})) > 0`;
