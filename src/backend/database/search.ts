/** Text search: case-insensitive, without wildcards. */
import { sql, type Column, type SQL } from 'drizzle-orm';
import { invalid } from '../errors/problem.ts';

/** Maximum number of words. Assumed: the document shows no limit. */
const MAX_WORDS = 32;

// SQLite lowers both sides: its lower() covers A to Z only, unlike JavaScript's.
export const contains = (column: Column, text: string): SQL =>
  sql`instr(lower(coalesce(${column}, '')), lower(${text})) > 0`;

/** @throws {Problem} 400 for more than 32, since SQLite limits the number of conditions. */
export function wordsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length <= MAX_WORDS) return words;
  throw invalid(400, 'query', 'query', `more than ${MAX_WORDS} words`);
}
