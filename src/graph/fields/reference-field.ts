/** Fields that refer to one object, with one requirement for prefetching, plan and resolver. */
import type { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import type { Context } from '../context.ts';
import {
  requiring,
  type RequirementSource,
  type ReferenceRequirement,
} from '../entity/requirement.ts';
import {
  describeId,
  fieldNameOf,
  nounOf,
  withArticle,
  type AnyEntity,
  type Entity,
  type KeyOf,
  type Types,
} from '../entity/entity.ts';
import { followReference, lookUp } from '../entity/prefetching.ts';
import { badInput } from '../errors.ts';
import { addField, builder } from '../schema/builder.ts';
import { requireKey, type Key } from '../types/key.ts';

/** A parent with fields of the same names as the key of the object that it refers to. */
type Referring<Name extends string> = { readonly [Part in Name]?: string | null };

interface ReferenceOptions<Parent, Name extends string> {
  readonly description: string;
  /** `key`: the parent's key contains the object's key. */
  readonly from: RequirementSource;
  /** Returns the key of the object, if the parent has no fields of the same names. */
  readonly key?: (parent: Parent) => KeyOf<Name> | null;
}

/** Adds a reference to one object: `Audience.person`. Free if only its key is selected; null if it is empty. */
export const referenceField = <
  T extends object,
  Name extends string,
  Parent extends object = Referring<Name>,
>(
  owner: ObjectRef<Types, Parent>,
  name: string,
  entity: Entity<T, Name>,
  options: ReferenceOptions<NoInfer<Parent>, Name>,
): void => addField(owner, name, reference(entity, options));

/** Returns the options of `t.field` for a reference. */
export function reference<
  T extends object,
  Name extends string,
  Parent extends object = Referring<Name>,
>(entity: Entity<T, Name>, { description, from, key }: ReferenceOptions<Parent, Name>) {
  const requirement: ReferenceRequirement = {
    kind: 'reference',
    from,
    route: entity.route,
    entity,
    key: (parent) => {
      // Safe casts: a requirement is used with its own field's parents or their keys only.
      const wanted = key ? key(parent as Parent) : partsOf(parent as Referring<Name>, entity.key);
      return wanted && requireKey(wanted);
    },
  };
  return {
    ...requiring(description, requirement),
    type: entity.ref,
    // Safe cast: the entity's loader returns its objects, or a key replaces one.
    resolve: (parent: Parent, _args: object, context: Context, info: GraphQLResolveInfo) =>
      followReference(requirement, parent, context, info) as T | null | Promise<T | null>,
  };
}

/** Returns the key; null if a part is empty. */
function partsOf<Name extends string>(
  parent: Referring<Name>,
  names: readonly Name[],
): KeyOf<Name> | null {
  const key: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const part = parent[name];
    if (!part) return null;
    key[name] = part;
  }
  return key as KeyOf<Name>; // every name has its part
}

/** Adds a lookup by global id or raw ids: `page(id:)`, `page(pageId:)`. Null if it does not exist. */
export function lookupField(entity: AnyEntity): void {
  const names = entity.key.map((name) => `\`${name}\``).join(', ');
  const by = entity.key.length > 1 ? `its global ID, or by ${names}` : 'ID';
  const description = `Fetches ${withArticle(nounOf(entity.name))} by ${by}. Null if it does not exist.`;
  addField('Query', fieldNameOf(entity.name), {
    ...requiring(description, {
      kind: 'lookup',
      from: 'object',
      route: entity.route,
      wanted: (args) => [{ entity, key: lookupKey(entity, args) }],
    }),
    type: entity.ref,
    args: builder.args((t) => ({
      id: t.id({ description: 'Global ID. Mutually exclusive with the other arguments.' }),
      ...Object.fromEntries(
        entity.key.map((name) => [
          name,
          t.id({ description: `${describeId(name)} Required unless \`id\` is given.` }),
        ]),
      ),
    })),
    resolve: (_parent: object, args: ArgumentValues, context: Context, info: GraphQLResolveInfo) =>
      lookUp(entity, lookupKey(entity, args), context, info),
  });
}

/**
 * Returns the key given by a caller: a global id, or an id for each part.
 *
 * @throws BAD_USER_INPUT for both forms, neither, or invalid ids.
 */
function lookupKey(entity: AnyEntity, args: ArgumentValues): Key {
  const isGiven = (name: string): boolean => args[name] !== undefined && args[name] !== null;
  const byParts = entity.key.map((name) => `\`${name}\``).join(', ');
  if (isGiven('id') && entity.key.some(isGiven)) {
    throw badInput(
      `\`id\` is mutually exclusive with the other arguments. Pass either \`id\` or ${byParts}.`,
      { argument: 'id' },
    );
  }
  const missing = isGiven('id') ? undefined : entity.key.find((name) => !isGiven(name));
  if (missing === undefined) return entity.callerKey(args);
  throw badInput(`\`${missing}\` is missing. Pass either \`id\` or ${byParts}.`, {
    argument: missing,
  });
}
