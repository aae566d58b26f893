/**
 * How resource modules write the type of an entity: an object that has a global id, made of its key.
 */
import type { FieldMap, InterfaceParam } from '@pothos/core';
import { builder, ID_DESCRIPTION, type Types } from './builder.ts';
import type { AnyEntity, Entity } from '../entity/entity.ts';
import { formatNodeId } from './node-id.ts';

interface NodeTypeOptions<T extends object> {
  readonly description: string;
  /** Beside `Node`. */
  readonly interfaces?: readonly InterfaceParam<Types>[];
  readonly fields: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, T>) => FieldMap;
}

export function nodeType<T extends object>(
  entity: Entity<T, string>,
  { description, interfaces = [], fields }: NodeTypeOptions<T>,
): void {
  builder.objectType(entity.ref, {
    description,
    interfaces: [builder.nodeInterfaceRef(), ...interfaces],
    fields: (t) => ({
      // Pothos has a field for this, which makes a promise of every id.
      id: t.id({
        description: ID_DESCRIPTION,
        resolve: (object) => idOf(entity, object) as string,
      }),
      ...fields(t),
    }),
  });
}

/** The global id, or the error that stands where the backend broke a part of the key. */
function idOf(entity: AnyEntity, object: object): string | Error {
  const parts: string[] = [];
  for (const name of entity.key) {
    const part = (object as Readonly<Record<string, unknown>>)[name];
    if (part instanceof Error) return part;
    parts.push(String(part));
  }
  return formatNodeId(entity.name, parts);
}
