/**
 * The position of a field in the texts of the query and of the answer.
 */
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { Kind, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';

/** Offsets in characters. `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The range in the source of `document`; undefined when nothing selects the field. */
export function locateInQuery(
  document: DocumentNode,
  operationName: string | null | undefined,
  path: readonly (string | number)[],
): TextRange | undefined {
  const operation = document.definitions.find(
    (node) =>
      node.kind === Kind.OPERATION_DEFINITION &&
      (!operationName || node.name?.value === operationName),
  );
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  let sets: SelectionSetNode[] = [operation.selectionSet];
  let found: FieldNode | undefined;
  for (const key of path) {
    if (typeof key === 'number') continue;
    const fields = sets
      .flatMap((set) => fieldsOf(set, document))
      .filter((one) => keyOf(one) === key);
    [found] = fields;
    if (!found) return undefined;
    sets = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
  }
  const name = found?.alias ?? found?.name;
  return name?.loc && { start: name.loc.start, end: found?.name.loc?.end ?? name.loc.end };
}

/** The range below `data`; undefined when the answer has no such field. */
export function locateInAnswer(
  answer: string,
  path: readonly (string | number)[],
): TextRange | undefined {
  const root = parseTree(answer);
  const node = root && findNodeAtLocation(root, ['data', ...path]);
  if (!node) return undefined;
  // Mark the name: the value may be most of the answer.
  const name = node.parent?.type === 'property' ? node.parent.children?.[0] : node;
  return name && { start: name.offset, end: name.offset + name.length };
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

function fieldsOf(
  set: SelectionSetNode,
  document: DocumentNode,
  seen = new Set<string>(),
): FieldNode[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      return fieldsOf(selection.selectionSet, document, seen);
    }
    const name = selection.name.value;
    if (seen.has(name)) return [];
    seen.add(name);
    const fragment = document.definitions.find(
      (node) => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION
      ? fieldsOf(fragment.selectionSet, document, seen)
      : [];
  });
}
