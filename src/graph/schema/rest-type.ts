/**
 * Object types of REST responses and inputs of REST bodies: names, descriptions, types and nullability of fields come
 * from the contract's zod schema.
 *
 * Names determine the types of strings: `…At` is a `DateTime`, `…Id` an `ID`. Ids of the contract are raw ids, since `id`
 * is a global id.
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
import { nullOnlyWithError } from '../entity/requirement.ts';
import type { Entity, Types } from '../entity/entity.ts';
import type { Key } from '../types/key.ts';
import { builder } from './builder.ts';
import { ID_DESCRIPTION } from './node.ts';

type OutputRef = EnumRef<Types, unknown> | ObjectRef<Types, unknown>;

/** Additions to a field of the contract: the type of a non-scalar, or another description. */
type FieldAddition<Ref> =
  Ref | string | { readonly type?: Ref | 'String'; readonly description?: string };

interface FieldOptions<Fields = Readonly<Record<string, unknown>>> {
  readonly fields?: Fields;
  /** New name of REST's `id`, since `id` is a global id. */
  readonly renamed?: { readonly id: string };
}

/** Object fields without a type in `fields` are defined by the module. */
interface RestTypeOptions<T, Names extends PropertyKey> extends FieldOptions<{
  readonly [Name in Names]?: FieldAddition<OutputRef>;
}> {
  readonly description: string;
  readonly interfaces?: readonly InterfaceParam<Types>[];
  /** Fields that REST lacks, or has in another form. */
  readonly added?: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, T>) => FieldMap;
}

/**
 * Defines an object type by a schema, for a new name, a ref or an entity. Entities implement `Node`; the global id is
 * formed from the key.
 */
export function restType<Shape extends z.ZodRawShape>(
  name: string,
  schema: z.ZodObject<Shape>,
  options: RestTypeOptions<z.infer<z.ZodObject<Shape>>, keyof Shape>,
): ObjectRef<Types, z.infer<z.ZodObject<Shape>>>;
export function restType<T extends z.infer<z.ZodObject<Shape>>, Shape extends z.ZodRawShape>(
  type: ObjectRef<Types, T> | InterfaceRef<Types, T> | Entity<T, string>,
  schema: z.ZodObject<Shape>,
  options: RestTypeOptions<T, keyof Shape>,
): void;
export function restType<T extends object>(
  given: string | ObjectRef<Types, T> | InterfaceRef<Types, T> | Entity<T, string>,
  schema: z.ZodObject,
  options: RestTypeOptions<T, string>,
): unknown {
  const { description, interfaces = [], added = () => ({}) } = options;
  const type = typeof given === 'string' ? builder.objectRef<T>(given) : given;
  const contract = fieldsOf(type.name, schema.shape, options);
  if (type instanceof InterfaceRef) {
    const fields = (t: Exposing) => restFields(t, contract, false);
    return builder.interfaceType(type, { description, fields });
  }
  const isNode = !(type instanceof ObjectRef);
  const definition = {
    description,
    interfaces: [...interfaces],
    fields: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, T>) => ({
      ...restFields(t, contract, isNode),
      ...added(t),
    }),
  };
  if (!isNode) return builder.objectType(type, definition);
  return builder.objectType(type.ref, {
    ...definition,
    interfaces: [builder.nodeInterfaceRef(), ...interfaces],
    fields: (t) => ({
      // Not the relay plugin's field, which creates a promise per id: a list of a hundred takes half as much CPU again
      // with it.
      id: t.id({ description: ID_DESCRIPTION, resolve: (object) => type.idOf(object as Key) }),
      ...definition.fields(t),
    }),
  });
}

/** A field builder for properties known only at runtime. */
interface Exposing {
  expose(name: never, options: never): FieldMap[string];
}

/** Fields of a type or an interface. Unknown enum values are null with an error. */
function restFields(t: Exposing, contract: ReturnType<typeof fieldsOf>, isNode: boolean): FieldMap {
  const made: FieldMap = {};
  for (const field of contract) {
    const { name, value, type } = field;
    const isEnum = value instanceof z.ZodEnum;
    let { description } = field;
    if (isEnum) {
      const kind = name.endsWith('Type') ? 'type' : name;
      description += ` Null with an error if the backend returns an unknown ${kind}.`;
    } else if (isNode && typeof type !== 'string') description += ' No REST call.';
    const config = {
      type: field.isList ? [type] : type,
      nullable: isEnum || !field.isRequired,
      description,
      extensions: isEnum ? nullOnlyWithError() : {},
    };
    made[field.as] = t.expose(name as never, config as never);
  }
  return made;
}

/** `default` is the meaning of an absent value, if the contract has no default. */
export interface InputOptions<Body> extends FieldOptions<{
  readonly [Name in keyof Body & string]?:
    FieldAddition<InputRef> | { readonly type: InputRef; readonly default: readonly never[] };
}> {
  readonly description: string;
  /** Fields that REST lacks, or has in another form. */
  readonly added?: (t: PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>) => InputFieldMap;
}

/** Defines the input type of a REST body, or of a part of one. */
export const inputType = <Body>(
  name: string,
  { shape }: z.ZodType<unknown, Body> & { readonly shape: z.core.$ZodShape },
  { description, added = () => ({}), ...options }: InputOptions<Body>,
): InputRef => {
  const contract = fieldsOf(name, shape, options);
  return builder.inputType(name, {
    description,
    fields: (t) => {
      const made: InputFieldMap = {};
      for (const field of contract) {
        made[field.as] = t.field({
          type: (field.isList ? [field.type] : field.type) as InputRef,
          required: field.isRequired,
          defaultValue: field.default,
          description: field.description,
        });
      }
      return { ...made, ...added(t) };
    },
  });
};

/**
 * Merges fields of the contract with their additions. Objects without a type are left to the module.
 *
 * @throws Error for another field without a type, which would be missing in the graph.
 */
const fieldsOf = (owner: string, shape: z.core.$ZodShape, { fields = {}, renamed }: FieldOptions) =>
  Object.entries(shape).flatMap(([name, schema]) => {
    // The schema without null and undefined.
    const value = nonNullOf(schema);
    // Name in the graph.
    const as = name === 'id' && renamed ? renamed.id : name;
    const addition = additionOf(fields[name]);
    const type = addition.type ?? scalarOf(as, value);
    const leaf = value instanceof z.ZodArray ? nonNullOf(value.element) : value;
    if (type === undefined && leaf instanceof z.ZodObject) return [];
    if (type === undefined) {
      throw new Error(
        `"${owner}.${name}" has no GraphQL type. Set it in \`fields: { ${name}: … }\`, for an enum to the ref of \`builder.enumType\`.`,
      );
    }
    return {
      name,
      as,
      value,
      type,
      description: addition.description ?? describeField(schema, as !== name),
      isList: value instanceof z.ZodArray,
      isRequired: value === schema,
      default: schema instanceof z.ZodDefault ? schema.def.defaultValue : addition.default,
    };
  });

/** Refs are instances of Pothos' classes. */
function additionOf(
  given: unknown = {},
): Partial<Record<'type' | 'default', unknown>> & { readonly description?: string } {
  if (typeof given === 'string') return { description: given };
  return Object.getPrototypeOf(given) === Object.prototype ? (given as object) : { type: given };
}

function describeField(schema: z.core.$ZodType, isRenamed: boolean): string {
  const text = (schema as z.ZodType).description ?? '';
  if (isRenamed) return text.replace(/^ID (.+)\.$/, 'Raw ID $1, called `id` in the REST API.');
  return text.replace(/^ID\b( of this [^.]+\.)?/, (_id, own?: string) =>
    own ? `Raw ID${own.slice(0, -1)} in the REST API.` : 'Raw ID',
  );
}

function nonNullOf(schema: unknown): unknown {
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault;
  return isWrapped ? nonNullOf(schema.unwrap()) : schema;
}

/** Returns undefined for non-scalars, and for what has no scalar, such as a union. */
function scalarOf(name: string, schema: unknown): string | undefined {
  if (schema instanceof z.ZodBoolean) return 'Boolean';
  if (schema instanceof z.ZodNumberFormat) return 'SafeInt';
  if (schema instanceof z.ZodNumber) return 'Float';
  if (schema instanceof z.ZodRecord) return 'JSON';
  if (schema instanceof z.ZodArray) return scalarOf(name, nonNullOf(schema.element));
  if (!(schema instanceof z.ZodString || schema instanceof z.ZodStringFormat)) return undefined;
  if (name.endsWith('At')) return 'DateTime';
  return /Id(?:Override)?$/.test(name) ? 'ID' : 'String';
}
