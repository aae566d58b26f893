/**
 * Parsed documents, kept for the next time: bounded by what they weigh, not by how many they are.
 *
 * Comments cost no tokens but are kept with a parsed document, so a cache that counts entries can
 * be filled with hundreds of megabytes of them.
 */
import { LRUCache } from 'lru-cache';

/** Assumed weight of a parsed document, in bytes a character; measured: 30 to 110. */
const BYTES_PER_CHARACTER = 100;

const MAX_BYTES = 32_000_000;

/** A cache by source text, for Yoga's `parserAndValidationCache`. */
export const documentCache = <Value extends object>() =>
  new LRUCache<string, Value>({
    max: 1_000,
    maxSize: MAX_BYTES,
    sizeCalculation: (_value, source) => Math.max(1, source.length * BYTES_PER_CHARACTER),
  });
