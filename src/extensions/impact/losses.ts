/**
 * Losses of an operation if a route of the backend, or the value of a field, is missing.
 *
 * The planner gives the routes required at each position, and the types the propagation of null.
 */
import {
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isCompositeType,
  isListType,
  isNonNullType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import {
  collectFields,
  fragmentsOf,
  type OperationContext,
} from '../../execution/operation/collect-fields.ts';
import { definitionOf } from '../../execution/operation/prepared-selection.ts';
import { coerceVariableValues } from '../../execution/operation/variables.ts';
import type { Context } from '../../graph/context.ts';
import { Planner, type Need, type ValuePlace } from '../../plan/planner.ts';
import { samplesOf, withoutCursors } from './samples.ts';

/**
 * `null`: null with an error; the rest of the result is complete. `error`: a write is not executed. `screen`: the whole
 * result is null.
 */
export type Extent = 'null' | 'error' | 'screen';

export interface Loss {
  /** Response keys, without the indexes of lists: `page.audiences.nodes.person`. */
  readonly path: string;
  readonly as: Extent;
}

interface SchemaOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/**
 * Returns the losses of an operation by failing route (`GET /v0/pages/{page_id}`).
 *
 * @param samples values of its variables. @default samples of every kind
 */
export function lossesByRoute(
  { schema, ...given }: SchemaOperation,
  context: Context,
  samples?: readonly Readonly<Record<string, unknown>>[],
): ReadonlyMap<string, readonly Loss[]> {
  const document = withoutCursors(given.document);
  const operation = getOperationAST(document, given.operation.name?.value);
  if (!operation) return new Map();
  const fragments = fragmentsOf(document);
  const losses = new Map<string, Losses>();
  for (const sample of samples ?? samplesOf(schema, document, operation)) {
    const { coerced } = coerceVariableValues(schema, operation, sample);
    if (!coerced) continue;
    const prepared = { schema, fragments, variableValues: coerced };
    const needs: Need[] = [];
    new Planner(prepared, context, undefined, needs).plan(operation);
    const places = new Map<string, ValuePlace[]>();
    for (const { route, place } of needs) {
      const name = `${route.method} ${route.path}`;
      places.set(name, [...(places.get(name) ?? []), place]);
    }
    const roots = rootsOf(prepared, operation);
    for (const [route, some] of places) {
      let known = losses.get(route);
      if (!known) losses.set(route, (known = new Losses(operation.operation)));
      known.add(some, roots);
    }
  }
  return new Map([...losses].map(([route, known]) => [route, known.list()]));
}

/**
 * Returns the losses of an operation if the backend returns no value of a field.
 *
 * @param field `Page.name`.
 */
export function lossesOfField(
  { schema, document, operation: { operation, selectionSet } }: SchemaOperation,
  field: string,
): readonly Loss[] {
  const [typename = '', name = ''] = field.split('.');
  const isOfType = (type: GraphQLCompositeType): boolean =>
    type.name === typename ||
    (isAbstractType(type) && schema.getPossibleTypes(type).some((one) => one.name === typename));
  const losses = new Losses(operation);
  const places: ValuePlace[] = [];
  // Includes conditional fields.
  const roots = new Set<string>();
  const context = { schema, fragments: fragmentsOf(document) };
  const type = schema.getRootType(operation)!; // the document is valid
  walk(context, type, selectionSet, undefined, (place, parent, found) => {
    if (!place.above && !found.startsWith('__')) roots.add(place.key);
    if (found === name && isOfType(parent)) places.push(place);
  });
  if (places.length > 0) losses.add(places, [...roots]);
  return losses.list();
}

/** Union of the losses for all sampled variables. */
class Losses {
  readonly #kind: OperationTypeNode;
  readonly #paths = new Map<string, Extent>();

  constructor(kind: OperationTypeNode) {
    this.#kind = kind;
  }

  /** @param roots response keys of the operation's root fields. */
  add(places: readonly ValuePlace[], roots: readonly string[]): void {
    const paths = new Set(places.map(nullAt));
    const lost = paths.has('') ? roots : roots.filter((root) => paths.has(root));
    const isAll = lost.length === roots.length;
    for (const path of paths.has('') ? roots : paths) {
      const isRoot = lost.includes(path);
      if (isRoot && this.#kind === OperationTypeNode.MUTATION) this.#set(path, 'error');
      else if (isAll) for (const root of roots) this.#set(root, 'screen');
      else this.#set(path, 'null');
    }
  }

  /** Returns the outermost losses. */
  list(): readonly Loss[] {
    const isCovered = (path: string): boolean =>
      [...this.#paths.keys()].some((other) => path.startsWith(`${other}.`));
    return [...this.#paths]
      .filter(([path]) => !isCovered(path))
      .map(([path, as]) => ({ path, as }))
      .sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  #set(path: string, as: Extent): void {
    if (this.#paths.get(path) !== 'screen') this.#paths.set(path, as);
  }
}

/** Returns the path nulled by a failed value; empty for the whole result. */
function nullAt(place: ValuePlace): string {
  const { above, type, isItem } = place;
  const nullable = getNullableType(type);
  const isItemNull = isItem && isListType(nullable) && !isNonNullType(nullable.ofType);
  if (!isItemNull && isNonNullType(type)) return above ? nullAt(above) : '';
  return pathOf(place);
}

const pathOf = ({ above, key }: ValuePlace): string => (above ? `${pathOf(above)}.${key}` : key);

function rootsOf(context: OperationContext, operation: OperationDefinitionNode): readonly string[] {
  const type = context.schema.getRootType(operation.operation)!; // the document is valid
  return collectFields(context, type, [operation])
    .filter(({ name }) => !name.startsWith('__'))
    .map(({ key }) => key);
}

type VisitField = (place: ValuePlace, parent: GraphQLCompositeType, name: string) => void;

/** Calls `visit` for each field, with inlined fragments. */
function walk(
  context: Omit<OperationContext, 'variableValues'>,
  type: GraphQLCompositeType,
  { selections }: SelectionSetNode,
  above: ValuePlace | undefined,
  visit: VisitField,
): void {
  const { schema, fragments } = context;
  for (const one of selections) {
    if (one.kind !== Kind.FIELD) {
      const inner = one.kind === Kind.FRAGMENT_SPREAD ? fragments[one.name.value] : one;
      const condition = inner?.typeCondition && schema.getType(inner.typeCondition.name.value);
      const narrowed = isCompositeType(condition) ? condition : type;
      if (inner) walk(context, narrowed, inner.selectionSet, above, visit);
      continue;
    }
    const name = one.name.value;
    const definition = definitionOf(schema, type, name);
    if (!definition) continue;
    const place = { above, key: one.alias?.value ?? name, type: definition.type, isItem: false };
    visit(place, type, name);
    const inner = getNamedType(definition.type);
    if (!one.selectionSet || !isCompositeType(inner)) continue;
    const isItem = isListType(getNullableType(definition.type));
    walk(context, inner, one.selectionSet, { ...place, isItem }, visit);
  }
}
