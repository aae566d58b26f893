/**
 * How modules define mutations: one input, one call, a payload with the object and `userErrors`.
 *
 * Mistakes that the user of a form can correct are data: all limits are checked here before any call, and
 * refusals by the backend are put into the same list. Mistakes of developers and failures of the backend
 * are GraphQL errors.
 */
import type { FieldMap, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { dictionary } from '../../lib/dictionary.ts';
import { RestOutcomeUnknownError } from '../../rest/call/errors.ts';
import type { Route } from '../../v0/routes.ts';
import { forgetReads, type Context } from '../context.ts';
import { demanding } from '../entity/demand.ts';
import { inputOf, rawId, type AnyEntity, type Entity, type KeyOf } from '../entity/entity.ts';
import { startFrom } from '../entity/lookahead.ts';
import type { Types } from '../entity/schema-shape.ts';
import { badInput } from '../errors.ts';
import { builder } from '../schema/builder.ts';
import { inputType, type InputOptions } from '../schema/rest-type.ts';
import { Edge, type NodePage } from '../types/node-page.ts';
import { nounOf } from '../types/typename.ts';
import { edgeTypeOf } from './connection-type.ts';
import { outcomeUnknown } from './outcome.ts';
import {
  brokenLimits,
  emptyValue,
  refusal,
  UserErrorRef,
  type FieldOf,
  type UserError,
} from './user-errors.ts';

type PayloadBuilder<T> = PothosSchemaTypes.ObjectFieldBuilder<Types, Payload<T>>;

interface Payload<T> {
  readonly object: T | null;
  readonly userErrors: readonly UserError[];
  /** Whether what the write began has ended; absent where the caller did not wait. */
  readonly reached?: boolean;
}

interface EdgeField<T> {
  readonly field: string;
  readonly type: ObjectRef<Types, NodePage<T>>;
  readonly description: string;
  readonly cursor: (object: T, context: Context) => string;
}

/** What a write begins may go on after its answer; a caller may wait for it. */
interface FollowUp<T, Key, Options> {
  /** The input's fields about waiting, which are not part of the body. */
  readonly options: z.ZodType<Options> & { readonly shape: object };
  /** Describes the payload's field `reached`. */
  readonly description: string;
  /** Waits with what is left of the request's time; undefined for a caller who does not wait. */
  readonly wait: (
    context: Context,
    key: Key,
    object: T,
    options: Options,
  ) => Promise<{ readonly object: T; readonly reached: boolean }> | undefined;
}

type WriteOptions<
  T extends object,
  Name extends keyof T & string,
  Target extends object,
  Part extends keyof Target & string,
  Body,
  Answer,
  Options = undefined,
> = {
  readonly name: string;
  readonly description: string;
  /** The fields of the route's body; the target's is added. */
  readonly input: InputOptions<Body>;
  /** What the payload holds, and under which name. */
  readonly answers: { readonly field: string; readonly entity: Entity<T, Name> };
  /**
   * The object that the path names, and the input field that names it: `id` takes a global id,
   * any other field a raw or a global one. Absent where the path names no object.
   */
  readonly target?: {
    readonly field: string;
    readonly entity: Entity<Target, Part>;
    /** @default says that it is the target's global id */
    readonly description?: string;
  };
  /** Turns those fields into the body, where names differ, and paths of the body into the input's. */
  readonly rename?: {
    readonly toBody: (fields: Readonly<Record<string, unknown>>) => unknown;
    readonly toField: FieldOf;
  };
  /**
   * Fields of the target that show whether the write was carried out, read back when its answer was
   * lost: see `outcome.ts`. Absent where nothing can be read back, because the write would have made
   * the object.
   */
  readonly readBack?: readonly (keyof Target & string)[];
  readonly followUp?: FollowUp<T, KeyOf<Part>, Options>;
  /** The edge of the object in a list, for clients that put it there themselves. */
  readonly edge?: EdgeField<T>;
  /** What the payload holds beside the object: null where nothing was written. */
  readonly beside?: (t: PayloadBuilder<T>) => FieldMap;
} & (
  | { readonly route: Route<string, NoInfer<T>, unknown, Body>; readonly toObject?: undefined }
  | {
      readonly route: Route<string, Answer, unknown, Body>;
      /** Makes the object of what the route answers. */
      readonly toObject: (answer: Answer, key: KeyOf<Part>) => T;
    }
);

/** Adds a mutation with its input and payload types. */
export function writeField<
  T extends object,
  Name extends keyof T & string,
  Target extends object,
  Part extends keyof Target & string,
  Body,
  Answer,
  Options = undefined,
>(options: WriteOptions<T, Name, Target, Part, Body, Answer, Options>): void {
  const { name, description, route, input, target, rename, readBack, followUp } = options;
  const fieldOf: FieldOf = rename?.toField ?? ((path) => path);
  const waitFields = new Set(Object.keys(followUp?.options.shape ?? {}));

  /** @throws BAD_USER_INPUT for an id that is not the target's. */
  const read = (args: Args): Write<KeyOf<Part>, Options> => {
    // The schema says that it is there, and an object.
    const given = args.input as Readonly<Record<string, unknown>>;
    const isUnnamed = target !== undefined && target.field !== 'id' && given[target.field] === '';
    const key =
      target && !isUnnamed ? keyOf(target.entity, target.field, given[target.field]) : undefined;
    const others = Object.entries(given).filter(
      ([field]) => field !== target?.field && !waitFields.has(field),
    );
    const fields = withoutNulls(dictionary(others)) as Readonly<Record<string, unknown>>;
    const checked = route.body?.safeParse(rename ? rename.toBody(fields) : fields);
    const waits = Object.entries(given).filter(([field]) => waitFields.has(field));
    const wait = followUp?.options.safeParse(withoutNulls(dictionary(waits)));
    return {
      // Absent only where the path names no object.
      key: key as KeyOf<Part>,
      body: checked?.data,
      wait: wait?.data as Options,
      userErrors: [
        ...(isUnnamed ? [emptyValue([target.field])] : []),
        ...emptyIds(fields).map(emptyValue),
        ...(checked?.error ? brokenLimits(checked.error, fieldOf) : []),
        ...(wait?.error ? brokenLimits(wait.error, fieldOf) : []),
      ],
    };
  };

  const send = async (
    { rest }: Context,
    { key, body }: Write<KeyOf<Part>, Options>,
    origin: GraphQLResolveInfo['path'],
  ): Promise<T> => {
    const given = inputOf(target?.entity.pathOf(key), body);
    if (!options.toObject) return rest.call(options.route, given, { origin });
    return options.toObject(await rest.call(options.route, given, { origin }), key);
  };

  const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  // A body is an object; a route without one takes nothing but its target.
  const body = (route.body ?? z.object({})) as z.ZodType<unknown, Body> & {
    readonly shape: z.ZodRawShape;
  };
  const inputRef = inputType(`${typeName}Input`, body, {
    ...input,
    added: (t) => ({
      ...(target && {
        [target.field]: t.id({
          required: true,
          description: target.description ?? `Global id of the ${nounOf(target.entity.name)}.`,
        }),
      }),
      ...input.added?.(t),
    }),
  });
  const form = { target, inputs: Object.keys(body.shape), fieldOf };
  const payloadRef = payloadType(`${typeName}Payload`, options);

  builder.mutationField(name, (t) =>
    t.field({
      ...demanding(
        description,
        {
          kind: 'write',
          from: 'object',
          route,
          check: (args) => {
            const [fault] = read(args).userErrors;
            if (fault) throw badInput(fault.message);
          },
        },
        { isNullOnlyWithError: true },
      ),
      type: payloadRef,
      args: {
        input: t.arg({
          type: inputRef,
          required: true,
          description: 'The values to write. Optional fields given as null count as absent.',
        }),
      },
      resolve: async (_root, args: Args, context, info) => {
        const write = read(args);
        const { key, wait, userErrors } = write;
        if (userErrors.length > 0) return { object: null, userErrors };
        try {
          const object = await send(context, write, info.path);
          return { object, userErrors: [], ...(await followUp?.wait(context, key, object, wait)) };
        } catch (error) {
          if (!(error instanceof RestOutcomeUnknownError)) {
            return { object: null, userErrors: [refusal(error, form)] };
          }
          if (!readBack || !target) throw error;
          // Before the object is read back too: earlier reads do not show the write.
          forgetReads(context);
          throw await outcomeUnknown(error, target.entity, key, readBack, context, info.path);
        } finally {
          forgetReads(context);
        }
      },
    }),
  );
}

interface Args {
  readonly input?: unknown;
}

/** A write that can be sent, unless its user has mistakes to correct. */
interface Write<Key, Options> {
  readonly key: Key;
  readonly body: unknown;
  /** What the caller waits for after it. */
  readonly wait: Options;
  readonly userErrors: readonly UserError[];
}

/** The key of the object that an input names. @throws BAD_USER_INPUT for any other id. */
function keyOf<T extends object, Part extends keyof T & string>(
  entity: Entity<T, Part>,
  field: string,
  id: unknown,
): KeyOf<Part> {
  if (field === 'id') return entity.parseId(String(id));
  // The field is named after the key, which has one part: `pageId` of a Page.
  return entity.callerKey({ [field]: id });
}

function payloadType<T extends object>(
  typeName: string,
  {
    name,
    answers: { field, entity },
    followUp,
    edge,
    beside,
  }: {
    readonly name: string;
    /** Its type is not a parameter, because Pothos could not work that out. */
    readonly answers: { readonly field: string; readonly entity: AnyEntity };
    readonly followUp?: { readonly description: string };
    readonly edge?: EdgeField<T>;
    readonly beside?: (t: PayloadBuilder<T>) => FieldMap;
  },
) {
  return builder.objectType(builder.objectRef<Payload<T>>(typeName), {
    description: `Result of the mutation \`${name}\`.`,
    fields: (t) => ({
      [field]: t.field({
        type: entity.ref,
        nullable: true,
        description: `The ${nounOf(entity.name)} after the write, null when \`userErrors\` is not empty. No call of its own.`,
        resolve: ({ object }, _args, context, info) => {
          if (object) {
            entity.prime(context, [object]);
            startFrom(entity, object, context, info);
          }
          return object;
        },
      }),
      userErrors: t.expose('userErrors', {
        type: [UserErrorRef],
        description:
          'What the user has to correct before the write can be carried out. Empty when it was carried out.',
      }),
      ...(edge && {
        [edge.field]: t.field({
          type: edgeTypeOf(edge.type),
          nullable: true,
          description: `${edge.description} Null when \`userErrors\` is not empty. No call of its own.`,
          resolve: ({ object }, _args, context) => {
            if (!object) return null;
            entity.prime(context, [object]);
            return new Edge(object, 0, () => edge.cursor(object, context));
          },
        }),
      }),
      ...beside?.(t),
      ...(followUp && {
        reached: t.boolean({
          nullable: true,
          description: followUp.description,
          resolve: ({ reached }) => reached,
        }),
      }),
    }),
  });
}

/**
 * Optional inputs given as null mean "not given", and are never sent as null.
 *
 * @throws BAD_USER_INPUT for a global id where the backend needs its own.
 */
function withoutNulls(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item));
  if (typeof value === 'string' && RAW_ID.test(name)) return rawId(name, value);
  if (typeof value !== 'object' || value === null) return value;
  return dictionary(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== undefined)
      .map(([name, inner]) => [name, withoutNulls(inner, name)]),
  );
}

/** Paths of the ids that are empty: the REST document has no limit for them, and none names an object. */
function emptyIds(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (value === '') return RAW_ID.test(path.at(-1) ?? '') ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => emptyIds(inner, [...path, name]));
}

/** Names of inputs that hold an id the gateway only passes on: `brandId`, `actionFormIdOverride`. */
const RAW_ID = /Id(?:Override)?$/;
