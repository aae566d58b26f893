/**
 * Mutations: one input, one call, and a payload with the object and `userErrors`.
 *
 * Errors that the user of a form can correct are data: limits are checked before any call, and the backend's validation
 * errors are added to the same list. Errors of developers and failures of the backend are GraphQL errors.
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

/** Status of a write that was carried out and answered without its object. */
const NO_CONTENT = 204;

interface MutationPayload<T> {
  readonly object: T | null;
  readonly userErrors: readonly UserError[];
  /** Whether the operation started by the write has ended; absent if the caller did not wait. */
  readonly reached?: boolean;
}

interface PayloadOptions<T> {
  /** Name of the mutation. */
  readonly name: string;
  /** Object in the payload, and the name of its field. */
  readonly answers: { readonly field: string; readonly entity: EntityOf<T> };
  /** Edge of the object, for clients that insert it into a cached list. */
  readonly edge?: {
    readonly field: string;
    readonly type: ObjectRef<Types, NodePage<T>>;
    readonly description: string;
    readonly cursor: (object: T, context: Context) => string;
  };
  /** Additional fields of the payload; null if nothing was written. */
  readonly beside?: (
    t: PothosSchemaTypes.ObjectFieldBuilder<Types, MutationPayload<T>>,
  ) => FieldMap;
  /** Description of the payload's field `reached`. */
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
  /** Fields of the route's body; that of the target is added. */
  readonly input: InputOptions<Body>;
  /**
   * The object in the path, and its input field: `id` takes a global id, other fields a raw or global one. Absent for a
   * path without an object.
   */
  readonly target?: {
    readonly field: string;
    readonly entity: Entity<Target, Part>;
    /** @default text about the target's global id */
    readonly description?: string;
  };
  /** Maps fields to the body, and paths of the body to the input, if names differ. */
  readonly rename?: {
    readonly toBody: (fields: Readonly<Record<string, unknown>>) => unknown;
    readonly toField: FieldOf;
  };
  /**
   * Fields of the target that are read back after an unknown outcome, see `unknown-outcome.ts`. Absent for writes that
   * create the object.
   */
  readonly readBack?: readonly (keyof Target & string)[];
  /** A background operation started by the write, which a caller may wait for. */
  readonly followUp?: {
    /** Input fields about waiting, which are not part of the body. */
    readonly options: z.ZodType<Options> & { readonly shape: object };
    /** Waits until the request's deadline at most; undefined if the caller does not wait. */
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
        /** Creates the object from the route's response. */
        readonly toObject: (answer: Answer, key: KeyOf<Part>) => T;
      }
  );

/** Defines a mutation with its input and payload types. */
export function writeField<
  T extends object,
  Target extends object,
  Part extends keyof Target & string,
  Body,
  Answer,
  Options = undefined,
>(options: WriteOptions<T, Target, Part, Body, Answer, Options>): void {
  const { name, description, route, input, answers, target, rename, readBack, followUp } = options;
  const fieldOf: FieldOf = rename?.toField ?? ((path) => path);
  const waitFields = new Set(Object.keys(followUp?.options.shape ?? {}));

  /** @throws BAD_USER_INPUT for an id of another type. */
  const read = (args: Args) => {
    // Guaranteed by the schema.
    const { [target?.field ?? '']: id, ...others } = args.input as Readonly<
      Record<string, unknown>
    >;
    const isGlobal = target?.field === 'id';
    const isUnnamed = target !== undefined && !isGlobal && id === '';
    // A field other than `id` has the name of the key's only part: `pageId` of a Page.
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
      // Absent only for a path without an object.
      key: key as KeyOf<Part>,
      body: checked?.data,
      // Options of the wait after the write.
      wait: wait?.data as Options,
      // Empty if the write can be sent.
      userErrors: [
        ...(isUnnamed ? [emptyValue([target.field])] : []),
        ...emptyIds(fields).map(emptyValue),
        ...(checked?.error ? brokenLimits(checked.error, fieldOf) : []),
        ...(wait?.error ? brokenLimits(wait.error, fieldOf) : []),
      ] as readonly UserError[],
    };
  };

  const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  // Bodies are objects; empty for a route without a body.
  const body = (route.body ?? z.object({})) as z.ZodType<unknown, Body> & {
    readonly shape: z.ZodRawShape;
  };
  const inputRef = inputType(`${typeName}Input`, body, {
    ...input,
    added: (t) => ({
      ...(target && {
        [target.field]: t.id({
          required: true,
          description: target.description ?? `Global ID of the ${nounOf(target.entity.name)}.`,
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
          description: 'Values to write. Optional fields that are null are treated as omitted.',
        }),
      },
      resolve: async (_root, args: Args, context, info) => {
        const { key, body, wait, userErrors } = read(args);
        if (userErrors.length > 0) return { object: null, userErrors };
        const { rest, writes } = context;
        const field = String(info.path.key);
        const sent = inputOf(target?.entity.pathOf(key), body);
        const origin = { origin: info.path };
        let object: T | null;
        writes?.begin(field);
        try {
          object = options.toObject
            ? options.toObject(await rest.call(options.route, sent, origin), key)
            : await rest.call(options.route, sent, origin);
          const written = answers.entity.keyOf(object);
          writes?.carryOut(field, written && answers.entity.idOf(written));
        } catch (error) {
          if (!hasKind(error, 'outcome_unknown')) {
            writes?.refuse(field);
            return { object: null, userErrors: [refusal(error, form)] };
          }
          if (!readBack || !target) throw error;
          // Also before the read-back, since earlier reads do not include the write.
          forgetReads(context);
          if (error.status !== NO_CONTENT) {
            throw await outcomeUnknown(error, target.entity, key, readBack, context, info.path);
          }
          writes?.carryOut(field, target.entity.idOf(key));
          // The written object is the target.
          object = (await target.entity.loader(context).load(key, info.path)) as T | null;
        } finally {
          forgetReads(context);
        }
        const reached = object && (await followUp?.wait(context, key, object, wait));
        return { object, userErrors: [], ...reached };
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
  // Widened, since Pothos cannot infer types from a type parameter.
  const entity: AnyEntity = options.answers.entity;
  return builder.objectType(builder.objectRef<MutationPayload<T>>(typeName), {
    description: `Result of \`${name}\`.`,
    fields: (t) => ({
      [field]: t.field({
        type: entity.ref,
        nullable: true,
        description: `The ${nounOf(entity.name)} after the write. Null if there are \`userErrors\`. No REST call.`,
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
        description: 'Errors that the user can correct. If there are any, nothing was written.',
      }),
      ...(edge && {
        [edge.field]: t.field({
          type: edgeTypeOf(edge.type),
          nullable: true,
          description: `${edge.description} Null if there are \`userErrors\`. No REST call.`,
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
 * Removes nulls: optional inputs given as null are not sent.
 *
 * @throws BAD_USER_INPUT for a global id in place of a raw id.
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

/** Returns the paths of empty ids, which the REST document does not exclude. */
function emptyIds(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (value === '') return RAW_ID.test(path.at(-1) ?? '') ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => emptyIds(inner, [...path, name]));
}

/** Names of inputs with ids that are only passed on: `brandId`, `actionFormIdOverride`. */
const RAW_ID = /Id(?:Override)?$/;
