/**
 * The small shapes every resource of the REST document is made of.
 *
 * Schemas of answers ignore what an answer holds beside the documented fields, so that a newer
 * backend never breaks an older gateway.
 */
import { z } from 'zod';

/** The largest integer the document allows, 2^53 - 1. Source: "Conventions". */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** A counter: an integer from 0 to 2^53 - 1. Source: "Conventions". */
export const counter = z.int().min(0);

/**
 * A moment as the backend writes it: ISO 8601, or `+` and epoch milliseconds.
 * Its form is checked where it is read, so that one bad timestamp costs one field.
 * Source: "Conventions"; Assumed: both forms, see docs/assumptions.md.
 */
export const timestamp = z.string();

/** `string | null` of the document: always present, may be null. */
export const nullableString = z.string().nullable();

/** A timestamp that may be null. */
export const nullableTimestamp = timestamp.nullable();

/** Text that may be absent or null in practice, whatever the document says. Assumed: see docs/assumptions.md. */
export const looseString = z.string().nullish();
