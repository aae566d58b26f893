/**
 * Sample variables of an operation, of every kind that affects its requirements.
 */
import {
  isInputType,
  isInterfaceType,
  isNonNullType,
  Kind,
  typeFromAST,
  visit,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from '../../execution/operation/collect-fields.ts';
import { parseNodeId } from '../../graph/types/node-id.ts';
import { sampleIdsOf, sampleOf } from '../../plan/price.ts';

type SampleValues = Readonly<Record<string, unknown>>;

/**
 * Maximum number of variables in `@skip` and `@include` for all combinations; with more, each is tried alone and all
 * together.
 */
const MAX_FLAGS = 5;

/** Removes cursors: the position in a list does not change what is required. */
export const withoutCursors = (document: DocumentNode): DocumentNode =>
  visit(document, {
    Argument: ({ name, value }) =>
      CURSORS.has(name.value) && value.kind === Kind.VARIABLE ? null : undefined,
  });

const CURSORS = new Set(['after', 'before']);

/**
 * Covers each variable present and absent, each condition true and false, and raw ids and global ids of every type.
 * Ids of `node` have the types that the document names, if it names any.
 */
export function samplesOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly SampleValues[] {
  const { variableDefinitions = [] } = operation;
  const conditions = conditionsOf(document);
  const known = variableDefinitions.flatMap(({ variable, type: node, defaultValue }) => {
    const type = typeFromAST(schema, node);
    const name = variable.name.value;
    if (!isInputType(type)) return [];
    return [{ name, type, isNeeded: isNonNullType(type) && !defaultValue }];
  });
  const flags = known.filter(({ name }) => conditions.has(name)).map(({ name }) => name);
  const others = known.filter(({ name }) => !conditions.has(name));
  const needed = others.filter(({ isNeeded }) => isNeeded);
  const optional = others.filter(({ isNeeded }) => !isNeeded);
  const given = [needed, ...optional.map((one) => [...needed, one]), others];
  const ids = sampleIdsOf(schema);
  const nodeIds = idsOfNode(schema, document, operation, ids);
  const samples = new Map<string, SampleValues>();
  for (const id of ids) {
    for (const some of given) {
      for (const set of settingsOf(flags)) {
        const values = some.map(({ name, type }) => {
          const allowed = nodeIds.get(name) ?? ids;
          return [name, sampleOf(type, allowed.includes(id) ? id : allowed[0]!)];
        });
        const sample = { ...set, ...(Object.fromEntries(values) as SampleValues) };
        samples.set(JSON.stringify(sample), sample);
      }
    }
  }
  return [...samples.values()];
}

/** Returns the variables in conditions of a document. */
function conditionsOf(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return names;
}

function settingsOf(flags: readonly string[]): readonly SampleValues[] {
  const all = (value: boolean): Record<string, boolean> =>
    Object.fromEntries(flags.map((flag) => [flag, value]));
  if (flags.length > MAX_FLAGS) {
    return [all(false), all(true), ...flags.map((flag) => ({ ...all(false), [flag]: true }))];
  }
  return flags.reduce<readonly SampleValues[]>(
    (settings, flag) =>
      settings.flatMap((one) => [false, true].map((value) => ({ ...one, [flag]: value }))),
    [{}],
  );
}

/** Returns sample ids of variables of `node` and `nodes`, by name of the variable. */
function idsOfNode(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  ids: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const fragments = fragmentsOf(document);
  const allowed = new Map<string, readonly string[]>();
  const visitRoot = ({ selections }: SelectionSetNode): void => {
    for (const one of selections) {
      const inner = one.kind === Kind.FRAGMENT_SPREAD ? fragments[one.name.value] : one;
      if (one.kind !== Kind.FIELD) {
        if (inner?.selectionSet) visitRoot(inner.selectionSet);
      } else if (/^nodes?$/.test(one.name.value) && one.selectionSet) {
        const types = typesIn(schema, one.selectionSet, fragments);
        const some = ids.filter((id) => types.has(typeOf(id)));
        for (const { value } of one.arguments ?? []) {
          if (value.kind !== Kind.VARIABLE || some.length === 0) continue;
          allowed.set(value.name.value, [...(allowed.get(value.name.value) ?? []), ...some]);
        }
      }
    }
  };
  visitRoot(operation.selectionSet);
  return allowed;
}

/** Returns the type conditions of a selection. */
function typesIn(
  schema: GraphQLSchema,
  { selections }: SelectionSetNode,
  fragments: ReturnType<typeof fragmentsOf>,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const one of selections) {
    if (one.kind === Kind.FIELD) continue;
    const inner = one.kind === Kind.FRAGMENT_SPREAD ? fragments[one.name.value] : one;
    const type = inner?.typeCondition && schema.getType(inner.typeCondition.name.value);
    if (isInterfaceType(type)) {
      // Interfaces that all nodes implement do not narrow the type.
      if (type.name === 'Node') continue;
      for (const { name } of schema.getPossibleTypes(type)) names.add(name);
    } else if (type) names.add(type.name);
    for (const name of inner ? typesIn(schema, inner.selectionSet, fragments) : []) names.add(name);
  }
  return names;
}

/** Empty for a raw id. */
function typeOf(id: string): string {
  try {
    return parseNodeId(id).typename;
  } catch {
    return '';
  }
}
