/** Text search: case-insensitive, without wildcards. */
import { sql, type Column, type SQL } from 'drizzle-orm';
import { invalid } from '../errors/problem.ts';

/** The most words that may be searched for at once. Assumed: the document shows no limit. */
const MAX_WORDS = 32;

// Both sides are lowered by SQLite: its lower() knows A to Z only, and JavaScript's knows more.
export const contains = (column: Column, text: string): SQL =>
  sql`instr(lower(coalesce(${column}, '')), lower(${text})) > 0`;

/** @throws {Problem} 400 for more than 32: each word is a condition, and SQLite takes so many only. */
export function wordsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length <= MAX_WORDS) return words;
  throw invalid(400, 'query', 'query', `more than ${MAX_WORDS} words`);
}
