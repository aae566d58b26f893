/**
 * How resource modules define fields that lead to one object: the demand is declared once, for look-ahead,
 * the plan and the resolver.
 */
import type { GraphQLResolveInfo } from 'graphql';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import type { Context } from '../context.ts';
import { badInput } from '../errors.ts';
import { callerKey, describeId } from './caller-key.ts';
import { anyBuilder, costing, type FieldBuilder } from '../types/field-builder.ts';
import { demanding, type DemandSource, type ReferenceDemand } from './demand.ts';
import type { AnyEntity, Entity, KeyOf } from './entity.ts';
import { nounOf } from '../types/typename.ts';
import { soundKey, type Key } from './key.ts';
import { followReference, lookUp } from './lookahead.ts';

type ReferenceOptions<Parent, Name extends string> = {
  readonly description: string;
  /** `key`: the parent's key has the key below. */
  readonly from: DemandSource;
} & ([Name] extends [keyof Parent]
  ? { readonly key?: undefined }
  : {
      /** The key of the object referred to, where the parent has no fields of its names. */
      readonly key: (parent: Parent) => KeyOf<Name> | null;
    });

/** A reference to one object: `Audience.person`. Free when only its key is selected, null when it is empty. */
export function referenceField<Parent extends object, Name extends string>(
  t: FieldBuilder<Parent>,
  entity: Entity<object, Name>,
  { description, from, key }: ReferenceOptions<Parent, Name>,
) {
  const demand: ReferenceDemand = {
    kind: 'reference',
    from,
    entity,
    key: (parent) => {
      // A demand is only ever read with its own field's parents, or with their keys.
      const wanted = key ? key(parent as Parent) : partsOf(parent as Key, entity.key);
      return wanted && soundKey(wanted);
    },
  };
  return anyBuilder(t).field({
    type: entity.ref,
    nullable: true,
    description: costing(description, entity.route),
    extensions: demanding(demand),
    resolve: (parent: Parent, _args: object, context: Context, info: GraphQLResolveInfo) =>
      followReference(demand, parent, context, info),
  });
}

/** The parts of a key; null where one is empty. */
function partsOf(parent: Key, names: readonly string[]): Key | null {
  const key: Record<string, string> = {};
  for (const name of names) {
    const part = parent[name];
    if (!part) return null;
    key[name] = part;
  }
  return key;
}

/** A lookup by the global id or by raw ids: `page(id:)`, `page(pageId:)`. Null when there is none. */
export function lookupField(t: FieldBuilder<{}>, entity: AnyEntity, description: string) {
  const builder = anyBuilder(t);
  return builder.field({
    type: entity.ref,
    nullable: true,
    description: costing(description, entity.route),
    args: {
      id: builder.arg.id({
        description: `Global id of the ${nounOf(entity.name)}, which stands alone.`,
      }),
      ...Object.fromEntries(
        entity.key.map((name) => [
          name,
          builder.arg.id({ description: `${describeId(name)} Required without \`id\`.` }),
        ]),
      ),
    },
    extensions: demanding({
      kind: 'lookup',
      from: 'object',
      entity,
      wanted: (args) => [{ entity, key: lookupKey(entity, args) }],
    }),
    resolve: (_parent: object, args: ArgumentValues, context: Context, info: GraphQLResolveInfo) =>
      lookUp(entity, lookupKey(entity, args), context, info),
  });
}

/**
 * The key that a caller names by the global id alone, or by an id for each of its parts.
 *
 * @throws BAD_USER_INPUT for both forms, or neither, beside what the ids themselves are refused for.
 */
function lookupKey(entity: AnyEntity, args: ArgumentValues): Key {
  const { id } = args;
  const isGiven = (name: string): boolean => args[name] !== undefined && args[name] !== null;
  const byParts = entity.key.map((name) => `"${name}"`).join(', ');
  if (isGiven('id')) {
    if (!entity.key.some(isGiven)) return entity.parseId(String(id));
    throw badInput(`"id" stands alone: pass either "id" or ${byParts}.`, { argument: 'id' });
  }
  const missing = entity.key.find((name) => !isGiven(name));
  if (missing === undefined) return callerKey(entity, args);
  throw badInput(`"${missing}" is missing: pass either "id" or ${byParts}.`, { argument: missing });
}
