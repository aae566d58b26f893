/**
 * Request bodies that have the shape of a resource: the same fields, of which none is null.
 *
 * Source: interface.md, "Create page body", "Topics": nested values and metadata are sent as they are answered.
 */
import { z } from 'zod';

/** A value without its nulls, however deep. */
type Given<Value> = Value extends readonly (infer Item)[]
  ? Given<Item>[]
  : Value extends object
    ? { [Name in keyof Value]: Given<Exclude<Value[Name], null>> }
    : Value;

/** The body of a resource's shape, as far as users of it need to know. */
interface BodySchema<Body> extends z.ZodType<Body, Body> {
  readonly shape: { readonly [Name in keyof Body & string]-?: z.ZodType };
}

/**
 * The body of a resource, or of what is nested in one, with nested bodies in turn. What may be absent or
 * null in an answer may be left out; no other field is taken.
 *
 * @param omitted fields that requests do not have.
 */
export function bodyOf<Shape extends z.ZodRawShape, Omitted extends keyof Shape & string = never>(
  { shape }: z.ZodObject<Shape>,
  ...omitted: readonly Omitted[]
): BodySchema<Given<Omit<z.infer<z.ZodObject<Shape>>, Omitted>>> {
  const names: readonly string[] = omitted;
  const body: Record<string, z.ZodType> = {};
  // Every schema of the contract is one of zod's own.
  for (const [name, schema] of Object.entries(shape) as [string, z.ZodType][]) {
    if (!names.includes(name)) body[name] = fieldOf(schema);
  }
  // Field by field as the types say.
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

/** What a schema says of a value that is there. */
function bareOf(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? bareOf(schema.unwrap() as z.ZodType) : schema;
}
