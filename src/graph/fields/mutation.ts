/**
 * How modules define mutations: one input, one call, a payload with the object and `userErrors`.
 *
 * Mistakes that the user of a form can correct are data: all limits are checked here before any call, and
 * refusals by the backend are put into the same list. Mistakes of developers and failures of the backend
 * are GraphQL errors.
 */
import type { FieldMap, ObjectRef } from '@pothos/core';
import { z } from 'zod';
import { dictionary } from '../../lib/dictionary.ts';
import { hasKind } from '../../rest/call/errors.ts';
import type { Route } from '../../v0/routes.ts';
import { forgetReads, type Context } from '../context.ts';
import { requiring } from '../entity/requirement.ts';
import {
  inputOf,
  rawId,
  type AnyEntity,
  type Entity,
  type EntityOf,
  type KeyOf,
} from '../entity/entity.ts';
import { startFrom } from '../entity/lookahead.ts';
import type { Types } from '../entity/schema-shape.ts';
import { badInput } from '../errors.ts';
import { builder } from '../schema/builder.ts';
import { inputType, type InputOptions } from '../schema/rest-type.ts';
import { Edge, type NodePage } from '../types/node-page.ts';
import { nounOf } from '../types/typename.ts';
import { edgeTypeOf } from './connection-type.ts';
import { outcomeUnknown } from './unknown-outcome.ts';
import {
  brokenLimits,
  emptyValue,
  refusal,
  UserErrorRef,
  type FieldOf,
  type UserError,
} from './user-errors.ts';

interface Payload<T> {
  readonly object: T | null;
  readonly userErrors: readonly UserError[];
  /** Whether what the write began has ended; absent where the caller did not wait. */
  readonly reached?: boolean;
}

interface PayloadOptions<T> {
  /** The mutation's name. */
  readonly name: string;
  /** What the payload holds, and under which name. */
  readonly answers: { readonly field: string; readonly entity: EntityOf<T> };
  /** The edge of the object in a list, for clients that put it there themselves. */
  readonly edge?: {
    readonly field: string;
    readonly type: ObjectRef<Types, NodePage<T>>;
    readonly description: string;
    readonly cursor: (object: T, context: Context) => string;
  };
  /** What the payload holds beside the object: null where nothing was written. */
  readonly beside?: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, Payload<T>>) => FieldMap;
  /** Describes the payload's field `reached`. */
  readonly followUp?: { readonly description: string };
}

type WriteOptions<
  T extends object,
  Target extends object,
  Part extends keyof Target & string,
  Body,
  Answer,
  Options,
> = PayloadOptions<T> & {
  readonly description: string;
  /** The fields of the route's body; the target's is added. */
  readonly input: InputOptions<Body>;
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
  /** What a write begins may go on after its answer; a caller may wait for it. */
  readonly followUp?: {
    /** The input's fields about waiting, which are not part of the body. */
    readonly options: z.ZodType<Options> & { readonly shape: object };
    /** Waits with what is left of the request's time; undefined for a caller who does not wait. */
    readonly wait: (
      context: Context,
      key: KeyOf<Part>,
      object: T,
      options: Options,
    ) => Promise<{ readonly object: T; readonly reached: boolean }> | undefined;
  };
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
  Target extends object,
  Part extends keyof Target & string,
  Body,
  Answer,
  Options = undefined,
>(options: WriteOptions<T, Target, Part, Body, Answer, Options>): void {
  const { name, description, route, input, target, rename, readBack, followUp } = options;
  const fieldOf: FieldOf = rename?.toField ?? ((path) => path);
  const waitFields = new Set(Object.keys(followUp?.options.shape ?? {}));

  /** @throws BAD_USER_INPUT for an id that is not the target's. */
  const read = (args: Args) => {
    // The schema says that it is there, and an object.
    const { [target?.field ?? '']: id, ...others } = args.input as Readonly<
      Record<string, unknown>
    >;
    const isGlobal = target?.field === 'id';
    const isUnnamed = target !== undefined && !isGlobal && id === '';
    // A field that is not `id` is named after the key, which has one part: `pageId` of a Page.
    const key = isUnnamed
      ? undefined
      : isGlobal
        ? target.entity.parseId(String(id))
        : target?.entity.callerKey({ [target.field]: id });
    const fields = withoutNulls(others) as Readonly<Record<string, unknown>>;
    const written = dictionary(Object.entries(fields).filter(([field]) => !waitFields.has(field)));
    const checked = route.body?.safeParse(rename ? rename.toBody(written) : written);
    const wait = followUp?.options.safeParse(fields);
    return {
      // Absent only where the path names no object.
      key: key as KeyOf<Part>,
      body: checked?.data,
      // What the caller waits for after the write.
      wait: wait?.data as Options,
      // Empty where the write can be sent.
      userErrors: [
        ...(isUnnamed ? [emptyValue([target.field])] : []),
        ...emptyIds(fields).map(emptyValue),
        ...(checked?.error ? brokenLimits(checked.error, fieldOf) : []),
        ...(wait?.error ? brokenLimits(wait.error, fieldOf) : []),
      ] as readonly UserError[],
    };
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
      ...requiring(
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
        const { key, body, wait, userErrors } = read(args);
        if (userErrors.length > 0) return { object: null, userErrors };
        try {
          const sent = inputOf(target?.entity.pathOf(key), body);
          const origin = { origin: info.path };
          const object = options.toObject
            ? options.toObject(await context.rest.call(options.route, sent, origin), key)
            : await context.rest.call(options.route, sent, origin);
          return { object, userErrors: [], ...(await followUp?.wait(context, key, object, wait)) };
        } catch (error) {
          if (!hasKind(error, 'outcome_unknown')) {
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

function payloadType<T extends object>(typeName: string, options: PayloadOptions<T>) {
  const { name, edge, beside, followUp } = options;
  const { field } = options.answers;
  // Not of objects of the parameter's type, which Pothos could not work out.
  const entity: AnyEntity = options.answers.entity;
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
