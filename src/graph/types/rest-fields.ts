/**
 * Fields that show what REST answers, with the types and the nullability of its zod schema.
 *
 * A name says what a text is: `…At` is a `DateTime`, `…Id` an `ID`.
 */
import type { EnumRef, FieldMap, ObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { Types } from './builder.ts';
import { anyBuilder } from './field-builder.ts';
import { nullOnlyWithError } from './semantic-non-null.ts';

/** A description, with the type where the schema does not name it. */
type RestField =
  | string
  | {
      readonly type: 'String' | EnumRef<Types, unknown> | ObjectRef<Types, unknown>;
      readonly description: string;
    };

type AnswerBuilder<Answer> =
  | PothosSchemaTypes.ObjectFieldBuilder<Types, Answer>
  | PothosSchemaTypes.InterfaceFieldBuilder<Types, Answer>;

/** Fields by their names in REST; one with a value that its enum lacks is null, with an error. */
export function restFields<Shape extends z.ZodRawShape>(
  t: AnswerBuilder<z.infer<z.ZodObject<Shape>>>,
  { shape }: z.ZodObject<Shape>,
  fields: { readonly [Name in keyof Shape & string]?: RestField },
): FieldMap {
  const made: FieldMap = {};
  // No field is given as undefined.
  for (const [name, field] of Object.entries(fields as Readonly<Record<string, RestField>>)) {
    const schema: unknown = shape[name];
    const value = nonNullOf(schema);
    const isEnum = value instanceof z.ZodEnum;
    const type = typeof field === 'string' ? scalarOf(name, value) : field.type;
    made[name] = anyBuilder(t).expose(name, {
      type: value instanceof z.ZodArray ? [type] : type,
      nullable: isEnum || value !== schema,
      description: typeof field === 'string' ? field : field.description,
      ...(isEnum && { extensions: nullOnlyWithError() }),
    });
  }
  return made;
}

function nonNullOf(schema: unknown): unknown {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? nonNullOf(schema.unwrap()) : schema;
}

function scalarOf(name: string, schema: unknown): string {
  if (schema instanceof z.ZodBoolean) return 'Boolean';
  if (schema instanceof z.ZodNumberFormat) return 'SafeInt';
  if (schema instanceof z.ZodNumber) return 'Float';
  if (schema instanceof z.ZodRecord) return 'JSON';
  if (name.endsWith('At')) return 'DateTime';
  return /Id(?:Override)?$/.test(name) ? 'ID' : 'String';
}
