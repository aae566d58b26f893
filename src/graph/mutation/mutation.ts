/**
 * How rooms write mutations: one input, one call, a payload with the object and `userErrors`.
 *
 * What the backend refuses for the caller's reasons (validation, a missing or conflicting object) is
 * data the caller asked for; what fails for the backend's reasons is a GraphQL error.
 */
import type { InputRef, ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import type { CallOptions } from '../../rest/client/client.ts';
import { RestOutcomeUnknownError } from '../../rest/client/errors.ts';
import type { Route } from '../../v0/routes.ts';
import { builder, type Types } from '../types/builder.ts';
import { forgetReads, type Context } from '../context.ts';
import { demanding } from '../entity/demand.ts';
import type { Entity, KeyOf } from '../entity/entity.ts';
import { badInput } from '../errors.ts';
import { costing } from '../types/field-builder.ts';
import { startFrom } from '../entity/lookahead.ts';
import { outcomeUnknown } from './outcome.ts';
import { asItIs, toUserError, UserErrorRef, type FieldOf, type UserError } from './user-errors.ts';

interface Payload<T> {
  readonly object: T | null;
  readonly userErrors: readonly UserError[];
}

export interface WriteOptions<T extends object, Name extends keyof T & string, Input> {
  readonly name: string;
  readonly description: string;
  readonly route: Route;
  readonly input: InputRef<Input>;
  /** What the payload holds, and under which name. */
  readonly answers: { readonly field: string; readonly entity: Entity<T, Name> };
  /**
   * Checks the input and answers how to send it. Refusals are thrown here, before any call.
   */
  readonly prepare: (
    input: WithoutNulls<Input>,
  ) => (context: Context, call: CallOptions) => Promise<T>;
  readonly fieldOf?: FieldOf;
  /**
   * How to see what became of a write whose answer was lost; absent where nothing can be read,
   * because the write would have made the object. See `outcome.ts`.
   */
  readonly readBack?: ReadBack<T, Name, Input>;
}

export interface ReadBack<T, Name extends string, Input> {
  /** The object the write is about; `prepare` has accepted the input. */
  readonly key: (input: WithoutNulls<Input>) => KeyOf<Name>;
  /** The fields of it that tell whether the write was carried out. */
  readonly tells: readonly (keyof T & string)[];
}

/** Adds a mutation with its payload type. */
export function writeField<T extends object, Name extends keyof T & string, Input>(
  options: WriteOptions<T, Name, Input>,
): void {
  const { name, description, route, input, prepare, readBack, answers, fieldOf } = options;
  // `input` is a required argument of the type that the ref names.
  const inputOf = (args: { readonly input?: unknown }) =>
    withoutNulls(args.input) as WithoutNulls<Input>;
  const ready = (args: { readonly input?: unknown }) => prepare(inputOf(args));

  builder.mutationField(name, (t) =>
    t.field({
      type: payloadType(options),
      nullable: true,
      description: costing(description, route),
      args: { input: t.arg({ type: input, required: true, description: 'All it takes.' }) },
      extensions: demanding({ kind: 'write', from: 'object', route, check: ready }),
      resolve: async (_root, args: { readonly input?: unknown }, context, info) => {
        const send = ready(args);
        try {
          const object = await send(context, { origin: info.path });
          return { object, userErrors: [] };
        } catch (error) {
          if (!(error instanceof RestOutcomeUnknownError)) {
            return { object: null, userErrors: [toUserError(error, fieldOf)] };
          }
          if (!readBack) throw error;
          // Before reading back as after: what was read earlier knows nothing of the write.
          forgetReads(context);
          const key = readBack.key(inputOf(args));
          throw await outcomeUnknown(
            error,
            answers.entity,
            key,
            readBack.tells,
            context,
            info.path,
          );
        } finally {
          forgetReads(context);
        }
      },
    }),
  );
}

function payloadType<T extends object, Name extends keyof T & string, Input>({
  name,
  answers: { field, entity },
}: WriteOptions<T, Name, Input>): ObjectRef<Types, Payload<T>> {
  const ref = builder.objectRef<Payload<T>>(
    `${name.charAt(0).toUpperCase()}${name.slice(1)}Payload`,
  );
  builder.objectType(ref, {
    description: `What \`${name}\` answers.`,
    fields: (t) => ({
      [field]: t.field({
        type: entity.ref,
        nullable: true,
        description: 'The object as it is afterwards; null when the write was refused.',
        resolve: ({ object }, _args, context, info) => {
          if (object) {
            entity.prime(context, [object]);
            startFrom(entity, object, context, info);
          }
          return object as never; // Pothos can't resolve a type that is still a parameter
        },
      }),
      userErrors: t.expose('userErrors', {
        type: [UserErrorRef],
        description: 'Why the write was refused; empty when it was carried out.',
      }),
    }),
  });
  return ref;
}

/**
 * The body as the REST document wants it, defaults filled in.
 *
 * @throws BAD_USER_INPUT naming the first field that breaks a limit of the document.
 */
export function checkBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  fieldOf: FieldOf = asItIs,
): z.output<Schema> {
  const checked = schema.safeParse(body);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const field = fieldOf(issue?.path.map(String) ?? []);
  throw badInput(`"${field.join('.')}" is not acceptable: ${issue?.message}.`, { field });
}

/** An input after `withoutNulls`. */
export type WithoutNulls<Value> = Value extends readonly (infer Item)[]
  ? WithoutNulls<Item>[]
  : Value extends object
    ? { [Name in keyof Value]: WithoutNulls<Exclude<Value[Name], null>> }
    : Value;

/** Optional inputs given as null mean "not given", and are never sent as null. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== undefined)
      .map(([name, inner]) => [name, withoutNulls(inner)]),
  );
}
