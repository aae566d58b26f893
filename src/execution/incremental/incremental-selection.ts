/**
 * Prepared selections with `@defer` and `@stream`: `CollectFields` and `BuildExecutionPlan` of the incremental delivery
 * proposal.
 *
 * Fields of an object are executed with it, or in separate groups. A field selected both with and without `@defer` is
 * not deferred.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1110
 */
import {
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type SelectionSetNode,
} from 'graphql';
import {
  applies,
  isIncluded,
  type CollectedField,
  type OperationContext,
  type Selecting,
} from '../operation/collect-fields.ts';
import type { Preparation } from '../operation/prepared-operations.ts';
import { PreparedField, PreparedSelection } from '../operation/prepared-selection.ts';
import { deferOf, isStream, streamOf } from './defer-and-stream.ts';

/** An occurrence of `@defer`. */
export interface DeferUsage {
  readonly label: string | undefined;
  /** Enclosing `@defer`. */
  readonly parent: DeferUsage | undefined;
  /** Returns the keys of its fields, including those that are also selected elsewhere. */
  readonly keys: () => readonly string[];
}

/** A selecting node and its enclosing `@defer`. */
interface Detail<Node extends Selecting = Selecting> {
  readonly node: Node;
  readonly usage: DeferUsage | undefined;
}

interface DetailedField extends CollectedField {
  readonly details: readonly Detail<FieldNode>[];
  /** Its outermost `@defer`s; none if it is also selected without one. */
  readonly usages: readonly DeferUsage[];
}

interface CollectedDeferred {
  readonly fields: readonly DetailedField[];
  /** `@defer`s that begin here, in document order. */
  readonly begun: readonly DeferUsage[];
}

/** @throws {GraphQLError} if a condition is null. */
function collectDeferred(
  context: OperationContext,
  type: GraphQLObjectType,
  selecting: readonly Detail[],
): CollectedDeferred {
  const { schema, fragments, variableValues } = context;
  const collected = new Map<string, Detail<FieldNode>[]>();
  const visited = new Map<string, (DeferUsage | undefined)[]>();
  const begun: DeferUsage[] = [];
  for (const { node, usage } of selecting) if (node.selectionSet) collect(node.selectionSet, usage);
  const fields = [...collected].map(([key, details]) => ({
    key,
    name: details[0]!.node.name.value,
    // A fragment can be spread in several `@defer`s.
    fieldNodes: [...new Set(details.map(({ node }) => node))],
    details,
    usages: outermostOf(details),
  }));
  return { fields, begun };

  function collect({ selections }: SelectionSetNode, usage: DeferUsage | undefined): void {
    for (const selection of selections) {
      if (selection.directives?.length && !isIncluded(context, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const detail = { node: selection, usage };
        const known = collected.get(key);
        if (known) known.push(detail);
        else collected.set(key, [detail]);
        continue;
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      const fragment = isSpread ? fragments[selection.name.value] : selection;
      if (!fragment || !applies(schema, type, fragment.typeCondition?.name.value)) continue;
      const known = isSpread ? (visited.get(selection.name.value) ?? []) : [];
      const defer = deferOf(selection, variableValues);
      const own = defer ? begin(defer.label, usage, fragment) : usage;
      // Its fields are already collected, and delivered no later.
      if (known.some((one) => isWithin(usage, one))) continue;
      if (isSpread) visited.set(selection.name.value, [...known, own]);
      collect(fragment.selectionSet, own);
    }
  }

  function begin(
    label: string | undefined,
    parent: DeferUsage | undefined,
    fragment: Selecting,
  ): DeferUsage {
    let keys: readonly string[] | undefined;
    const usage = {
      label,
      parent,
      keys: () =>
        (keys ??= collectDeferred(context, type, [{ node: fragment, usage: undefined }])
          .fields.filter(({ usages }) => usages.length === 0)
          .map(({ key }) => key)),
    };
    begun.push(usage);
    return usage;
  }
}

/** Whether `inner` is nested in `outer`. */
function isWithin(inner: DeferUsage | undefined, outer: DeferUsage | undefined): boolean {
  for (let usage = inner; usage; usage = usage.parent) if (usage === outer) return true;
  return outer === undefined;
}

function outermostOf(details: readonly Detail[]): readonly DeferUsage[] {
  const all = new Set<DeferUsage>();
  for (const { usage } of details) {
    if (!usage) return [];
    all.add(usage);
  }
  return [...all].filter(({ parent }) => {
    for (let usage = parent; usage; usage = usage.parent) if (all.has(usage)) return false;
    return true;
  });
}

const isSame = (a: readonly DeferUsage[], b: readonly DeferUsage[]): boolean =>
  a.length === b.length && a.every((usage) => b.includes(usage));

export class IncrementalSelection extends PreparedSelection {
  /** `@defer`s around the whole selection. */
  readonly usages: readonly DeferUsage[];
  /** `@defer`s that begin at an object, in document order. */
  readonly begun: readonly DeferUsage[];
  /** Groups of fields executed separately, each with its `@defer`s. */
  readonly groups: readonly IncrementalSelection[];

  constructor(
    context: OperationContext,
    type: GraphQLObjectType,
    { fields, begun }: CollectedDeferred,
    usages: readonly DeferUsage[],
    above?: PreparedField,
    all?: PreparedField[],
  ) {
    const isDeferred = (field: DetailedField): boolean => !isSame(field.usages, usages);
    super(
      context,
      type,
      fields.filter((field) => !isDeferred(field)),
      above,
      all,
    );
    this.usages = usages;
    this.begun = begun;
    const groups: [DetailedField, ...DetailedField[]][] = [];
    for (const field of fields.filter(isDeferred)) {
      const group = groups.find(([first]) => isSame(first.usages, field.usages));
      if (group) group.push(field);
      else groups.push([field]);
    }
    this.groups = groups.map((group) => {
      const collected = { fields: group, begun: [] };
      return new IncrementalSelection(context, type, collected, group[0].usages, above, this.all);
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
  const collected = collectDeferred(context, type, details);
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
    const { selection, parentType, definition } = this;
    return (this.#streamed ??= new IncrementalField(
      selection,
      parentType,
      definition,
      this.#collected,
      true,
    ));
  }

  protected override prepareBelow(
    type: GraphQLObjectType,
    context: OperationContext,
  ): PreparedSelection {
    const { details } = this.#collected;
    if (!this.#isOfItems) {
      return prepareIncremental(context, type, details, this.selection.usages, this);
    }
    const own = details.map(({ node }) => ({ node, usage: undefined }));
    return prepareIncremental(context, type, own, [], this);
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
    steps.unshift(step);
  }
  let field: PreparedField | undefined;
  for (const { key, typename } of steps) {
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
