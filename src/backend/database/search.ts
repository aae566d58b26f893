/** Text search: case-insensitive, without wildcards. */
import { sql, type Column, type SQL } from 'drizzle-orm';
import { invalid } from '../errors.ts';

/** Maximum number of words. Assumed: the API spec shows no limit. */
const MAX_WORDS = 32;

export const contains = (column: Column, text: string): SQL => matches(column, text, '*', '*');

export const startsWith = (column: Column, text: string): SQL => matches(column, text, '', '*');

export const isText = (column: Column, text: string): SQL => matches(column, text, '', '');

/**
 * Matches a pattern, with composed and with decomposed letters. Not `lower` of SQLite, nor `LIKE`, which know the two
 * cases of A to Z only.
 */
function matches(column: Column, text: string, before: string, after: string): SQL {
  const forms = [...new Set([text.normalize('NFC'), text.normalize('NFD')])];
  const patterns = forms.map((form) => sql`${column} glob ${before + anyCase(form) + after}`);
  return sql`(${sql.join(patterns, sql` or `)})`;
}

/** Pattern of GLOB with both cases of letters: `a1*` is `[aA]1[*]`. */
const anyCase = (text: string): string =>
  Array.from(text, (character) => {
    const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
    // Some letters are several in the other case: `ß` is `SS`.
    const same = [...cases].filter((one) => one.length === character.length);
    return same.length > 1 || /[*?[]/.test(character) ? `[${same.join('')}]` : character;
  }).join('');

/** @throws {Problem} 400 for more than 32, since SQLite limits the number of conditions. */
export function wordsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length <= MAX_WORDS) return words;
  throw invalid(400, 'query', 'query', `more than ${MAX_WORDS} words`);
}
