/** Marks a field in the query and in the response. */
import { useGraphiQL, useMonaco, type MonacoEditor } from '@graphiql/react';
import { Kind, parse, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { useRef } from 'react';

/** Monaco's `TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges`: new text is not marked. */
const NEVER_GROWS = 1;

type Marks = ReturnType<MonacoEditor['createDecorationsCollection']>;

/** Returns a function that marks the field at a path and removes earlier marks. */
export function useHighlight(): (path: readonly (string | number)[]) => void {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const responseEditor = useGraphiQL((state) => state.responseEditor);
  const operationName = useGraphiQL((state) => state.operationName);
  const lineHeight = useMonaco((state) => state.monaco?.editor.EditorOption.lineHeight);
  const marks = useRef<Marks[]>([]);
  return (path) => {
    for (const before of marks.current) before.clear();
    marks.current = [
      ...mark(queryEditor, (text) => locateInQuery(parse(text), operationName, path)),
      ...mark(responseEditor, (text) => locateInResponse(text, path)),
    ];
    if (lineHeight === undefined) return;
    for (const editor of [queryEditor, responseEditor]) beginAtLine(editor, lineHeight);
  };
}

/** Scrolls by a part of a line, so that the first and the last line are whole. */
function beginAtLine(
  editor: MonacoEditor | undefined,
  option: Parameters<MonacoEditor['getOption']>[0],
): void {
  if (!editor) return;
  const lineHeight = editor.getOption(option) as number;
  editor.setScrollTop(Math.round(editor.getScrollTop() / lineHeight) * lineHeight);
}

function mark(
  editor: MonacoEditor | undefined,
  locate: (text: string) => TextRange | undefined,
): Marks[] {
  const model = editor?.getModel();
  if (!editor || !model) return [];
  const range = rangeIn(model.getValue(), locate);
  if (!range) return [];
  const start = model.getPositionAt(range.start);
  const end = model.getPositionAt(range.end);
  const at = {
    startLineNumber: start.lineNumber,
    startColumn: start.column,
    endLineNumber: end.lineNumber,
    endColumn: end.column,
  };
  editor.revealRangeInCenterIfOutsideViewport(at);
  return [
    editor.createDecorationsCollection([
      { range: at, options: { className: 'marked-field', stickiness: NEVER_GROWS } },
    ]),
  ];
}

function rangeIn(text: string, locate: (text: string) => TextRange | undefined) {
  try {
    return locate(text);
  } catch {
    return undefined; // The query was edited and does not parse.
  }
}

interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The range in the source of `document`; undefined when nothing selects the field. */
function locateInQuery(
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

/** The range below `data`; undefined when the response has no such field. */
function locateInResponse(
  response: string,
  path: readonly (string | number)[],
): TextRange | undefined {
  const root = parseTree(response);
  const node = root && findNodeAtLocation(root, ['data', ...path]);
  if (!node) return undefined;
  // Mark the name: the value may be most of the response.
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
