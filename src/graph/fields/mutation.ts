/**
 * Mutations: one input, one call, and a payload with the object and `userErrors`.
 *
 * Errors that the user of a form can correct are data: limits are checked before any call, and validation errors of the
 * backend are added to the same list. Errors of developers and failures of the backend are GraphQL errors.
 */
import type { FieldMap, ObjectRef } from '@pothos/core';
import { GraphQLError, type GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { dictionary } from '../../lib/dictionary.ts';
import { orUndefined } from '../../lib/or-undefined.ts';
import { hasKind, type RestError } from '../../rest/call/errors.ts';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import type { Route } from '../../v0/routes.ts';
import { forgetReads, type Context } from '../context.ts';
import { requiring } from '../entity/requirement.ts';
import {
  fieldNameOf,
  inputOf,
  nounOf,
  rawId,
  type Entity,
  type EntityOf,
  type KeyOf,
  type Types,
} from '../entity/entity.ts';
import { startFrom } from '../entity/prefetching.ts';
import { badInput, fromRestError } from '../errors.ts';
import { builder } from '../schema/builder.ts';
import { inputType, type InputOptions } from '../schema/rest-type.ts';
import { Edge, type NodePage } from '../types/node-page.ts';
import { readTimestamp } from '../types/scalars.ts';
import { edgeTypeOf } from './connection-type.ts';
import {
  brokenLimits,
  emptyValue,
  rejectionOf,
  UserErrorRef,
  type FieldOf,
  type UserError,
} from './user-errors.ts';

/** Status of an executed write whose response has no object. */
const NO_CONTENT = 204;

interface MutationPayload<T> {
  readonly object: T | null;
  readonly userErrors: readonly UserError[];
  /** Whether the operation started by the write has ended; absent if the caller did not wait. */
  readonly reached?: boolean;
}

type WriteOptions<
  T extends object,
  Target extends object,
  Part extends keyof Target & string,
  Body,
  Response,
  Options,
> = {
  readonly name: string;
  readonly description: string;
  readonly returns: EntityOf<T>;
  /** Edge of the object, for clients that insert it into a cached list. */
  readonly edge?: {
    readonly type: ObjectRef<Types, NodePage<T>>;
    readonly description: string;
    readonly cursor: (object: T, context: Context) => string;
  };
  /** Additional fields of the payload; null if nothing was written. */
  readonly added?: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, MutationPayload<T>>) => FieldMap;
  /** Fields of the route's body; that of the target is added. */
  readonly input: InputOptions<Body>;
  /**
   * The object in the path, and its input field: `id` takes a global id, other fields a raw or global one. Absent for a
   * path without an object.
   */
  readonly target?: {
    readonly field: string;
    readonly entity: Entity<Target, Part>;
    /** @default mentions the target's global ID */
    readonly description?: string;
  };
  /** Names of REST's `id` in the items of lists, by list: `{ links: 'linkId' }`. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Fields of the target that are read after an unknown outcome. Absent for writes that create the object. */
  readonly readBack?: readonly (keyof Target & string)[];
  /** A background operation started by the write, which a caller may wait for. */
  readonly followUp?: {
    readonly description: string;
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
      readonly route: Route<string, Response, unknown, Body>;
      readonly toObject: (response: Response, key: KeyOf<Part>) => T;
    }
);

/** A write of any types, which were checked where it was defined. */
type Write = WriteOptions<object, object, never, unknown, unknown, unknown>;

export function writeField<
  T extends object,
  Target extends object,
  Part extends keyof Target & string,
  Body,
  Response,
  Options = undefined,
>(options: WriteOptions<T, Target, Part, Body, Response, Options>): void {
  // Safe cast: its functions get only values of its input and route.
  const write = options as object as Write;
  const { name, description, route, target, input } = write;
  const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const inputRef = inputType(`${typeName}Input`, bodyOf(write), {
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
  const payloadRef = payloadType(`${typeName}Payload`, write);
  const check = ({ input }: ArgumentValues): void => {
    const [fault] = readInput(write, input).userErrors;
    if (fault) throw badInput(fault.message);
  };
  builder.mutationField(name, (t) =>
    t.field({
      ...requiring(
        description,
        { kind: 'write', from: 'object', route, check },
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
      resolve: (_root, { input }, context, info) => execute(write, input, context, info),
    }),
  );
}

/** Schema of the body: an object, empty for a route without a body. */
const bodyOf = ({ route }: Write) =>
  (route.body ?? z.object({})) as z.ZodType & { readonly shape: z.ZodRawShape };

function payloadType(typeName: string, { name, returns: entity, edge, added, followUp }: Write) {
  const field = fieldNameOf(entity.name);
  return builder.objectType(builder.objectRef<MutationPayload<object>>(typeName), {
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
        [`${field}Edge`]: t.field({
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
      ...added?.(t),
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

/** Maps paths of the body to the input. */
const fieldOfBody =
  ({ renamed = {} }: Write): FieldOf =>
  (path) =>
    path.map((name, i) => (name === 'id' ? (renamed[path[i - 2] ?? ''] ?? name) : name));

/**
 * Reads and checks an input. The write can be sent if there are no `userErrors`.
 *
 * @throws BAD_USER_INPUT for an id of another type.
 */
function readInput(write: Write, input: unknown) {
  const { target, route, renamed, followUp } = write;
  // Guaranteed by the schema.
  const { [target?.field ?? '']: id, ...others } = input as Readonly<Record<string, unknown>>;
  const isIdEmpty = target !== undefined && target.field !== 'id' && id === '';
  const emptyIds: (readonly string[])[] = isIdEmpty ? [[target.field]] : [];
  const fields = toBody(others, Object.values(renamed ?? {}), emptyIds) as Readonly<
    Record<string, unknown>
  >;
  const isOfWait = (field: string) => Object.hasOwn(followUp?.options.shape ?? {}, field);
  const written = dictionary(Object.entries(fields).filter(([field]) => !isOfWait(field)));
  const body = route.body?.safeParse(written);
  const wait = followUp?.options.safeParse(fields);
  const fieldOf = fieldOfBody(write);
  return {
    // Empty only for a path without an object, and if the write is not sent.
    key: isIdEmpty || !target ? {} : targetKey(target, id),
    body: body?.data,
    wait: wait?.data,
    userErrors: [
      ...emptyIds.map(emptyValue),
      ...brokenLimits(body?.error, fieldOf),
      ...brokenLimits(wait?.error, fieldOf),
    ],
  };
}

/** A field other than `id` has the name of the key's only part: `pageId` of a Page. */
const targetKey = ({ field, entity }: NonNullable<Write['target']>, id: unknown) =>
  field === 'id' ? entity.parseId(String(id)) : entity.callerKey({ [field]: id });

async function execute(
  write: Write,
  input: unknown,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<MutationPayload<object>> {
  const { key, body, wait, userErrors } = readInput(write, input);
  if (userErrors.length > 0) return { object: null, userErrors };
  const { route, returns, toObject, target, followUp } = write;
  const { rest, writes } = context;
  const path = target?.entity.pathOf(key);
  const field = String(info.path.key);
  let object: object | null;
  writes?.set(field, { field, carriedOut: null });
  try {
    const response = await rest.call(route, inputOf(path, body), { origin: info.path });
    // Without `toObject` the response is the object.
    object = toObject ? toObject(response, key) : (response as object);
    const written = returns.keyOf(object);
    writes?.set(field, { field, carriedOut: true, id: written && returns.idOf(written) });
  } catch (error) {
    if (!hasKind(error, 'outcome_unknown')) {
      writes?.delete(field);
      const inputs = Object.keys(bodyOf(write).shape);
      const form = { target, inputs, fieldOf: fieldOfBody(write) };
      return { object: null, userErrors: [rejectionOf(error, form)] };
    }
    object = await readAfterwards(write, error, key, context, info);
  } finally {
    forgetReads(context);
  }
  const reached = object && (await followUp?.wait(context, key, object, wait));
  return { object, userErrors: [], ...reached };
}

/**
 * Reads the target after a write without a usable response, in one GET within the request's deadline.
 *
 * @returns the target, if the backend confirmed the write.
 * @throws OUTCOME_UNKNOWN otherwise, whatever the state: an unchanged object may change a moment later, and a changed
 * one may be due to another caller. `extensions.state` contains the state: `{ "id": "…", "found": true, "status":
 * "queued", "queuedAt": "2026-03-01T09:30:00.000Z" }`.
 */
async function readAfterwards(
  { target, readBack }: Write,
  error: RestError,
  key: KeyOf<never>,
  context: Context,
  { path }: GraphQLResolveInfo,
): Promise<object | null> {
  if (!readBack || !target) throw error;
  const { entity } = target;
  const id = entity.idOf(key);
  // Earlier reads do not include the write.
  forgetReads(context);
  const read = () => entity.loader(context).load(key, path);
  if (error.status === NO_CONTENT) {
    const field = String(path.key);
    context.writes?.set(field, { field, carriedOut: true, id });
    return read();
  }
  const { message, extensions } = fromRestError(error);
  const state = await read().then(
    (object) => ({
      found: object !== null,
      ...(object &&
        Object.fromEntries(readBack.map((name) => [name, serialize(name, object[name])]))),
    }),
    // The error of the write is reported, not that of the read.
    () => ({ found: null }),
  );
  throw new GraphQLError(message, {
    originalError: error,
    extensions: { ...extensions, state: { id, ...state } },
  });
}

/** Converts a value as the schema does; undefined for an invalid value. */
function serialize(name: string, value: unknown): unknown {
  if (value instanceof Error) return undefined;
  const isTimestamp = name.endsWith('At') && value !== null;
  return isTimestamp ? orUndefined(() => readTimestamp(value)) : value;
}

/**
 * Converts an input to a body, without nulls: optional inputs given as null are not sent.
 *
 * @param ids names of fields that are called `id` in the body.
 * @param emptyIds receives the paths of empty ids, which the API spec does not exclude.
 * @throws BAD_USER_INPUT for a global id instead of a raw id.
 */
function toBody(
  value: unknown,
  ids: readonly string[],
  emptyIds: (readonly string[])[],
  path: readonly string[] = [],
): unknown {
  const name = path.at(-1) ?? '';
  if (value === '' && RAW_ID.test(name)) emptyIds.push(path);
  if (typeof value === 'string' && RAW_ID.test(name)) return rawId(name, value);
  if (typeof value !== 'object' || value === null) return value;
  const below = (name: string, inner: unknown) => toBody(inner, ids, emptyIds, [...path, name]);
  if (Array.isArray(value)) return value.map((item, i) => below(String(i), item));
  return dictionary(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== undefined)
      .map(([name, inner]) => [ids.includes(name) ? 'id' : name, below(name, inner)]),
  );
}

/** Names of inputs with ids that are only passed on: `brandId`, `actionFormIdOverride`. */
const RAW_ID = /Id(?:Override)?$/;
