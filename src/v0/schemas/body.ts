/**
 * Request bodies derived from resources: the same fields, not nullable.
 *
 * Source: interface.md, "Create page body", "Topics": nested values and metadata have the same form in bodies and
 * responses.
 */
import { z } from 'zod';

type WithoutNulls<Value> = Value extends readonly (infer Item)[]
  ? WithoutNulls<Item>[]
  : Value extends object
    ? { [Name in keyof Value]: WithoutNulls<Exclude<Value[Name], null>> }
    : Value;

/** The part of a body's schema that users need. */
interface BodySchema<Body> extends z.ZodType<Body, Body> {
  readonly shape: { readonly [Name in keyof Body & string]-?: z.ZodType };
}

/**
 * Returns the body schema of a resource, recursively. Fields that may be absent or null in responses are optional;
 * unknown fields are rejected.
 *
 * @param omitted fields that are not part of bodies.
 */
export function bodyOf<Shape extends z.ZodRawShape, Omitted extends keyof Shape & string = never>(
  { shape }: z.ZodObject<Shape>,
  ...omitted: readonly Omitted[]
): BodySchema<WithoutNulls<Omit<z.infer<z.ZodObject<Shape>>, Omitted>>> {
  const names: readonly string[] = omitted;
  const body: Record<string, z.ZodType> = {};
  // Safe cast: all schemas are zod's.
  for (const [name, schema] of Object.entries(shape) as [string, z.ZodType][]) {
    if (!names.includes(name)) body[name] = fieldOf(schema);
  }
  // Safe cast: built as the types declare.
  return z.strictObject(body) as object as ReturnType<typeof bodyOf<Shape, Omitted>>;
}

function fieldOf(schema: z.ZodType): z.ZodType {
  const bare = bareOf(schema);
  const field = bare === schema ? givenOf(bare) : givenOf(bare).optional();
  return schema.description === undefined ? field : field.describe(schema.description);
}

function givenOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) return bodyOf(schema);
  return schema instanceof z.ZodArray ? z.array(givenOf(schema.element as z.ZodType)) : schema;
}

function bareOf(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? bareOf(schema.unwrap() as z.ZodType) : schema;
}
