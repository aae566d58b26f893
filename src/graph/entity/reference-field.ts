/**
 * How resource modules define fields that lead to one object: the demand is declared once, for look-ahead,
 * the plan and the resolver.
 */
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import { callerKey, describeId } from './caller-key.ts';
import { anyBuilder, costing, type FieldBuilder } from '../types/field-builder.ts';
import { demanding, type DemandSource, type ReferenceDemand } from './demand.ts';
import type { AnyEntity, Entity, KeyOf } from './entity.ts';
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

/** A lookup by raw or global ids: `page(pageId:)`. Null when there is none. */
export function lookupField(t: FieldBuilder<{}>, entity: AnyEntity, description: string) {
  const builder = anyBuilder(t);
  return builder.field({
    type: entity.ref,
    nullable: true,
    description: costing(description, entity.route),
    args: Object.fromEntries(
      entity.key.map((name) => [
        name,
        builder.arg.id({ required: true, description: describeId(name) }),
      ]),
    ),
    extensions: demanding({
      kind: 'lookup',
      from: 'object',
      // The schema declares them: one argument a part of the key.
      wanted: (args) => [{ entity, key: callerKey(entity, args) }],
    }),
    resolve: (_parent: object, args: Key, context: Context, info: GraphQLResolveInfo) =>
      lookUp(entity, callerKey(entity, args), context, info),
  });
}
