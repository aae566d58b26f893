/**
 * A Pothos plugin that answers global ids where they are asked for.
 *
 * The relay plugin makes a promise of every id, with which a list of a hundred objects takes half as much CPU
 * again.
 */
import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { findEntity } from '../entity/entity.ts';
import type { Key } from '../types/key.ts';

class DirectIdsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { parentType, name }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const entity = name === 'id' ? findEntity(parentType) : undefined;
    return entity ? (object) => entity.idOf(object as Key) : resolver;
  }
}

declare global {
  // Pothos knows plugins by the members of this namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      directIds: DirectIdsPlugin<Types>;
    }
  }
}

export const DIRECT_IDS = 'directIds';

SchemaBuilder.registerPlugin(DIRECT_IDS, DirectIdsPlugin);
