/**
 * How resource modules write types of what REST answers, and inputs of what it takes: the types of fields and
 * whether they can be null come from the zod schema.
 *
 * A name says what a text is: `…At` is a `DateTime`, `…Id` an `ID`.
 */
import {
  InterfaceRef,
  ObjectRef,
  type EnumRef,
  type FieldMap,
  type InputFieldMap,
  type InputRef,
  type InterfaceParam,
} from '@pothos/core';
import { z } from 'zod';
import { nullOnlyWithError } from '../entity/demand.ts';
import type { Entity } from '../entity/entity.ts';
import type { Types } from '../entity/schema-shape.ts';
import type { Key } from '../types/key.ts';
import { builder } from './builder.ts';
import { directId } from './direct-ids.ts';
import { keyText, loadNode } from './node.ts';

/** A description, with the type where the schema does not name it. */
type Described<Type> = string | { readonly type: Type; readonly description: string };
type RestField = Described<'String' | EnumRef<Types, unknown> | ObjectRef<Types, unknown>>;
type RestFields<Shape> = { readonly [Name in keyof Shape & string]?: RestField };
/** `default` is what an absent value means where the schema has none. */
type InputField =
  | string
  | {
      readonly type: EnumRef<Types, unknown> | InputRef;
      readonly description: string;
      readonly default?: readonly never[];
    };

type ObjectBuilder<T> = PothosSchemaTypes.ObjectFieldBuilder<Types, T>;

interface RestTypeOptions<T, Shape> {
  readonly description: string;
  readonly interfaces?: readonly InterfaceParam<Types>[];
  /** By their names in REST. */
  readonly fields: RestFields<Shape>;
  /** Fields that REST does not have, or has under another name. */
  readonly added?: (t: ObjectBuilder<T>) => FieldMap;
}

/**
 * Defines the type of what a schema describes: of a name, which makes its ref, or of a ref or an entity that is
 * there already. An entity has a global id, made of its key, by which the relay plugin reads it.
 */
export function restType<Shape extends z.ZodRawShape>(
  name: string,
  schema: z.ZodObject<Shape>,
  options: RestTypeOptions<z.infer<z.ZodObject<Shape>>, Shape>,
): ObjectRef<Types, z.infer<z.ZodObject<Shape>>>;
export function restType<T extends z.infer<z.ZodObject<Shape>>, Shape extends z.ZodRawShape>(
  type: ObjectRef<Types, T> | InterfaceRef<Types, T> | Entity<T, string>,
  schema: z.ZodObject<Shape>,
  options: RestTypeOptions<T, Shape>,
): void;
export function restType<T extends object, Shape extends z.ZodRawShape>(
  given: string | ObjectRef<Types, T> | InterfaceRef<Types, T> | Entity<T, string>,
  schema: z.ZodObject<Shape>,
  { description, interfaces = [], fields, added = () => ({}) }: RestTypeOptions<T, Shape>,
): unknown {
  const type = typeof given === 'string' ? builder.objectRef<T>(given) : given;
  if (type instanceof InterfaceRef) {
    return builder.interfaceType(type, {
      description,
      fields: (t) => restFields(t, schema, fields),
    });
  }
  const options = {
    description,
    interfaces: [...interfaces],
    fields: (t: ObjectBuilder<T>) => ({ ...restFields(t, schema, fields), ...added(t) }),
  };
  if (type instanceof ObjectRef) return builder.objectType(type, options);
  return builder.node(type.ref, {
    ...options,
    id: {
      resolve: (object) => keyText(type, object as Key),
      extensions: directId((object) => type.idOf(object as Key)),
    },
    loadWithoutCache: (id, context, info) => loadNode(type, id, context, info),
  });
}

/** A field builder of a type or an interface, for properties whose types are known at run time. */
interface Exposing {
  expose(name: never, options: never): FieldMap[string];
}

/** Fields of a type or an interface; one with a value that its enum lacks is null, with an error. */
function restFields<Shape extends z.ZodRawShape>(
  t: Exposing,
  { shape }: z.ZodObject<Shape>,
  fields: RestFields<Shape>,
): FieldMap {
  const made: FieldMap = {};
  // No field is given as undefined.
  for (const [name, field] of Object.entries(fields as Readonly<Record<string, RestField>>)) {
    const schema: unknown = shape[name];
    const value = nonNullOf(schema);
    const isEnum = value instanceof z.ZodEnum;
    const type = typeof field === 'string' ? scalarOf(name, value) : field.type;
    const options = {
      type: value instanceof z.ZodArray ? [type] : type,
      nullable: isEnum || value !== schema,
      description: typeof field === 'string' ? field : field.description,
      ...(isEnum && { extensions: nullOnlyWithError() }),
    };
    made[name] = t.expose(name as never, options as never);
  }
  return made;
}

export interface InputOptions<Body> {
  readonly description: string;
  /** By their names in REST. */
  readonly fields: { readonly [Name in keyof Body & string]?: InputField };
  /** Fields that REST does not have, or has under another name. */
  readonly added?: (t: InputBuilder) => InputFieldMap;
}

type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;

/** The input of a body of REST, or of a part of one. */
export const inputType = <Shape extends z.ZodRawShape>(
  name: string,
  { shape }: z.ZodObject<Shape>,
  { description, fields, added = () => ({}) }: InputOptions<z.input<z.ZodObject<Shape>>>,
): InputRef =>
  builder.inputType(name, {
    description,
    // No field is given as undefined.
    fields: (t) => ({
      ...inputFields(t, shape, fields as Readonly<Record<string, InputField>>),
      ...added(t),
    }),
  });

function inputFields(
  t: InputBuilder,
  shape: z.ZodRawShape,
  fields: Readonly<Record<string, InputField>>,
): InputFieldMap {
  const made: InputFieldMap = {};
  for (const [name, schema] of Object.entries(shape)) {
    const field = fields[name];
    if (field === undefined) continue;
    const value = nonNullOf(schema);
    const type = typeof field === 'string' ? scalarOf(name, value) : field.type;
    made[name] = t.field({
      type: (value instanceof z.ZodArray ? [type] : type) as InputRef,
      required: value === schema,
      defaultValue: defaultOf(schema) ?? (typeof field === 'string' ? undefined : field.default),
      description: typeof field === 'string' ? field : field.description,
    });
  }
  return made;
}

const defaultOf = (schema: unknown): unknown =>
  schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;

function nonNullOf(schema: unknown): unknown {
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault;
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
