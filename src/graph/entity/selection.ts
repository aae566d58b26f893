/** Selections of objects for prefetching and the plan, with requirements. */
import type { GraphQLField, GraphQLObjectType } from 'graphql';
import {
  collectFields,
  type OperationContext,
  type CollectedField,
  type Selecting,
} from '../../execution/operation/collect-fields.ts';
import type { RouteCapabilities } from '../../rest/client/route-capabilities.ts';
import {
  requirementIn,
  requirementOf,
  type Requirement,
  type ObjectRequirement,
} from './requirement.ts';
import { findEntity } from './entity.ts';

export interface SelectedField extends CollectedField {
  /** Undefined for `__typename` and introspection. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  readonly requirement: Requirement | undefined;
}

/** A selected field that requires only the object's key, so its call can start with that of the object. */
export interface KeyField extends SelectedField {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly requirement: ObjectRequirement;
}

export interface ObjectSelection {
  readonly type: GraphQLObjectType;
  readonly capabilities: RouteCapabilities;
  readonly fields: readonly SelectedField[];
  readonly keyFields: readonly KeyField[];
  /** Whether a selected field requires the object itself. */
  readonly needsObject: boolean;
}

/** Cached by array of nodes, which belongs to one combination of conditions, and type of object. */
const selections = new WeakMap<readonly Selecting[], ObjectSelection[]>();

export function selectionOf(
  document: OperationContext,
  type: GraphQLObjectType,
  nodes: readonly Selecting[],
  capabilities: RouteCapabilities,
): ObjectSelection {
  let known = selections.get(nodes);
  if (!known) selections.set(nodes, (known = []));
  for (const found of known) {
    if (found.type === type && found.capabilities === capabilities) return found;
  }
  const entity = findEntity(type.name);
  const definitions = type.getFields();
  const fields = collectFields(document, type, nodes).fields.map((selected): SelectedField => {
    const definition = definitions[selected.name];
    const declared = definition && requirementOf(definition);
    return {
      ...selected,
      definition,
      requirement: declared && requirementIn(capabilities, declared),
    };
  });
  const keyFields = fields.filter((field): field is KeyField => field.requirement?.from === 'key');
  const needsObject = fields.some(
    ({ name, requirement }) => requirement?.from !== 'key' && !entity?.keyFields.has(name),
  );
  const selection = { type, capabilities, fields, keyFields, needsObject };
  known.push(selection);
  return selection;
}
