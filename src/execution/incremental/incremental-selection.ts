/**
 * Prepared selections with `@defer` and `@stream`: fields executed with an object, and groups executed separately.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1110
 */
import {
  getNullableType,
  isListType,
  isObjectType,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
} from 'graphql';
import type { OperationContext } from '../operation/collect-fields.ts';
import type { Preparation } from '../operation/prepared-operations.ts';
import { PreparedField, PreparedSelection } from '../operation/prepared-selection.ts';
import {
  collectDeferred,
  type CollectedDeferred,
  type DeferUsage,
  type Detail,
  type DetailedField,
} from './collect-deferred.ts';
import { isStream, streamOf } from './defer-and-stream.ts';

export class IncrementalSelection extends PreparedSelection {
  /** `@defer`s around the whole selection. */
  readonly usages: readonly DeferUsage[];
  /** `@defer`s that begin at an object, in document order. */
  readonly begun: readonly DeferUsage[];
  /** Groups executed separately. */
  readonly groups: readonly IncrementalSelection[];

  constructor(
    context: OperationContext,
    type: GraphQLObjectType,
    { fields, groups, usages: begun }: CollectedDeferred,
    usages: readonly DeferUsage[],
    above?: PreparedField,
    all?: PreparedField[],
  ) {
    super(context, type, fields, above, all);
    this.usages = usages;
    this.begun = begun;
    this.groups = groups.map((group) => {
      const collected = { fields: group.fields, groups: [], usages: [] };
      return new IncrementalSelection(context, type, collected, group.usages, above, this.all);
    });
  }

  protected override prepareField(
    type: GraphQLObjectType,
    definition: GraphQLField<unknown, unknown>,
    collected: DetailedField,
  ): PreparedField {
    return new IncrementalField(this, type, definition, collected);
  }
}

/** @throws {GraphQLError} if a condition is null. */
function prepareIncremental(
  context: OperationContext,
  type: GraphQLObjectType,
  details: readonly Detail[],
  usages: readonly DeferUsage[],
  above?: PreparedField,
): IncrementalSelection {
  const collected = collectDeferred(context, type, details, usages);
  return new IncrementalSelection(context, type, collected, usages, above);
}

export const INCREMENTAL: Preparation = {
  name: 'incremental',
  root: (context, type, operation) =>
    prepareIncremental(context, type, [{ node: operation, usage: undefined }], []),
};

export class IncrementalField extends PreparedField {
  declare readonly selection: IncrementalSelection;
  /** Node with `@stream`, if the list is streamed. */
  readonly stream: FieldNode | undefined;
  readonly #collected: DetailedField;
  /** Whether it is for streamed items, which do not wait for a `@defer` around their list. */
  readonly #isOfItems: boolean;
  #streamed: IncrementalField | undefined;

  constructor(
    selection: IncrementalSelection,
    parentType: GraphQLObjectType,
    definition: GraphQLField<unknown, unknown>,
    collected: DetailedField,
    isOfItems = false,
  ) {
    super(selection, parentType, definition, collected);
    this.#collected = collected;
    this.#isOfItems = isOfItems;
    this.stream = isListType(getNullableType(definition.type))
      ? collected.fieldNodes.find(({ directives }) => directives?.some(isStream))
      : undefined;
  }

  /** The same field for streamed items. */
  get streamed(): IncrementalField {
    if (!this.#streamed) {
      const { selection, parentType, definition } = this;
      const details = this.#collected.details.map(({ node }) => ({ node, usage: undefined }));
      const collected = { ...this.#collected, details };
      this.#streamed = new IncrementalField(selection, parentType, definition, collected, true);
    }
    return this.#streamed;
  }

  protected override prepareBelow(
    type: GraphQLObjectType,
    context: OperationContext,
  ): PreparedSelection {
    const usages = this.#isOfItems ? [] : this.selection.usages;
    return prepareIncremental(context, type, this.#collected.details, usages, this);
  }
}

/** Whether the position at a path is executed separately from the initial result. */
export function isDeferredAt(
  operation: PreparedSelection,
  path: GraphQLResolveInfo['path'],
  context: OperationContext,
): boolean {
  const steps: GraphQLResolveInfo['path'][] = [];
  for (let step: GraphQLResolveInfo['path'] | undefined = path; step; step = step.prev) {
    steps.push(step);
  }
  let field: PreparedField | undefined;
  for (const { key, typename } of steps.reverse()) {
    if (typeof key === 'number') {
      const node = field instanceof IncrementalField ? field.stream : undefined;
      const stream = node && streamOf(node, context.variableValues);
      if (stream && key >= stream.initialCount) return true;
      continue;
    }
    const type: unknown = field && context.schema.getType(typename!);
    if (field && !isObjectType(type)) return false;
    const selection: PreparedSelection = field
      ? field.below(type as GraphQLObjectType, context)
      : operation;
    field = selection.fields.find((one) => one.key === key);
    if (!field) return true;
  }
  return false;
}
