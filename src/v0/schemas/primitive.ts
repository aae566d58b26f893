/**
 * Primitive schemas of the API spec.
 *
 * Response schemas ignore unknown fields, for compatibility with newer backends.
 */
import { z } from 'zod';

/** Maximum integer of the document, 2^53 - 1. Source: "Conventions". */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** A counter: an integer from 0 to 2^53 - 1. Source: "Conventions". */
export const counter = z.int().min(0);

const keyIds = z.registry<{ readonly isKey: true }>();

/** An id of an object's key: its own or that of its parent, never empty. A value without it is not the object. */
export const keyId = z.string().min(1);
keyIds.add(keyId, { isKey: true });

/** Whether a schema is `keyId`, possibly with a description. */
export const isKeyId = (schema: z.core.$ZodType): boolean => keyIds.get(schema) !== undefined;

/**
 * A timestamp: ISO 8601, or `+` and epoch milliseconds. Validated by the resolver, so an invalid one fails only its
 * field. Source: "Conventions"; Assumed: both forms, see docs/assumptions.md.
 */
export const timestamp = z.string();

/** `string | null` of the document: always present, may be null. */
export const nullableString = z.string().nullable();

export const nullableTimestamp = timestamp.nullable();

/** Text that may be absent or null in practice, despite the document. Assumed: see docs/assumptions.md. */
export const looseString = z.string().nullish();
