/**
 * Finds contract violations in a value, and documented fields with values.
 *
 * Unlike contract-check.ts, which checks every response, this check is for samples: it reports paths and kinds, and
 * visits only the first items of a list.
 */
import { z } from 'zod';

/** An undocumented field, a missing field, a value of another type, or an undocumented enum value. */
export type ViolationKind = 'new_field' | 'missing_field' | 'other_type' | 'new_enum_value';

/** Callbacks of a walk. Paths have no indexes, `items.metadata.title`; empty for the whole response. */
export interface ViolationVisitor {
  /** @param owner documented object of the field, if there is one. */
  violation(path: string, kind: ViolationKind, owner?: z.ZodObject): void;
  /** A documented field has a non-null value. */
  seen(path: string): void;
}

/** Maximum number of visited items of a list. */
const MAX_ITEMS = 20;

/** Plausible field names. Other keys may be ids or texts, and are not reported. */
const FIELD_NAME = /^[A-Za-z_]\w{0,39}$/;

export function walkAnswer(
  schema: z.core.$ZodType,
  value: unknown,
  walk: ViolationVisitor,
  path = '',
  owner?: z.ZodObject,
): void {
  const plain = plainOf(schema);
  if (value === undefined || value === null) {
    if (z.safeParse(schema, value).success) return;
    walk.violation(path, value === undefined ? 'missing_field' : 'other_type', owner);
    return;
  }
  if (path !== '') walk.seen(path);
  if (plain instanceof z.ZodObject) {
    if (typeof value !== 'object' || Array.isArray(value)) {
      walk.violation(path, 'other_type', owner);
      return;
    }
    const shape = plain.shape as Readonly<Record<string, z.core.$ZodType>>;
    for (const [name, inner] of Object.entries(shape)) {
      walkAnswer(inner, (value as Record<string, unknown>)[name], walk, join(path, name), plain);
    }
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(shape, name)) continue;
      walk.violation(join(path, FIELD_NAME.test(name) ? name : '*'), 'new_field');
    }
  } else if (plain instanceof z.ZodArray) {
    if (!Array.isArray(value)) walk.violation(path, 'other_type', owner);
    else
      for (const item of value.slice(0, MAX_ITEMS))
        walkAnswer(plain.element, item, walk, path, owner);
  } else if (!z.safeParse(plain, value).success) {
    const isNewValue = plain instanceof z.ZodEnum && typeof value === 'string';
    walk.violation(path, isNewValue ? 'new_enum_value' : 'other_type', owner);
  }
}

/** Returns the paths of all fields of a schema. */
export function pathsOf(schema: z.core.$ZodType, path = ''): readonly string[] {
  const plain = plainOf(schema);
  if (plain instanceof z.ZodArray) return pathsOf(plain.element, path);
  if (!(plain instanceof z.ZodObject)) return [];
  return Object.entries(plain.shape as Readonly<Record<string, z.core.$ZodType>>).flatMap(
    ([name, inner]) => [join(path, name), ...pathsOf(inner, join(path, name))],
  );
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function plainOf(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? plainOf(schema.unwrap()) : schema;
}
