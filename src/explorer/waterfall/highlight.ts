/** Marks a field in the query and in the response. */
import { useGraphiQL, useMonaco, type MonacoEditor } from '@graphiql/react';
import {
  getOperationAST,
  Kind,
  parse,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
} from 'graphql';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type * as Monaco from 'monaco-editor';
import { useRef } from 'react';
import { orUndefined } from '../../lib/or-undefined.ts';

type Marks = ReturnType<MonacoEditor['createDecorationsCollection']>;

/** Returns a function that marks the field at a path and removes earlier marks. */
export function useHighlight(): (path: readonly (string | number)[]) => void {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const responseEditor = useGraphiQL((state) => state.responseEditor);
  const operationName = useGraphiQL((state) => state.operationName);
  const monaco = useMonaco((state) => state.monaco);
  const marks = useRef<Marks[]>([]);
  return (path) => {
    if (!monaco) return;
    for (const before of marks.current) before.clear();
    marks.current = [
      ...mark(monaco, queryEditor, (text) => locateInQuery(text, operationName, path)),
      ...mark(monaco, responseEditor, (text) => locateInResponse(text, path)),
    ];
  };
}

function mark(
  { Range, editor: { EditorOption, TrackedRangeStickiness } }: typeof Monaco,
  editor: MonacoEditor | undefined,
  locate: (text: string) => TextRange | undefined,
): Marks[] {
  const model = editor?.getModel();
  if (!editor || !model) return [];
  // The query may have been edited and not parse.
  const range = orUndefined(() => locate(model.getValue()));
  if (!range) return [];
  const at = Range.fromPositions(model.getPositionAt(range.start), model.getPositionAt(range.end));
  editor.revealRangeInCenterIfOutsideViewport(at);
  // Scroll by a part of a line, so that the first and the last line are whole.
  const lineHeight = editor.getOption(EditorOption.lineHeight);
  editor.setScrollTop(Math.round(editor.getScrollTop() / lineHeight) * lineHeight);
  // New text at the edges is not marked.
  const stickiness = TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges;
  return [
    editor.createDecorationsCollection([
      { range: at, options: { className: 'marked-field', stickiness } },
    ]),
  ];
}

interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The range of the name of a field in the chosen operation; undefined if nothing selects it. */
function locateInQuery(
  text: string,
  operationName: string | null | undefined,
  path: readonly (string | number)[],
): TextRange | undefined {
  const document = parse(text);
  const operation = getOperationAST(document, operationName);
  const keys = path.filter((key) => typeof key === 'string');
  const found = operation && fieldAt(keys, operation, document);
  return found
    ? { start: (found.alias ?? found.name).loc!.start, end: found.name.loc!.end }
    : undefined;
}

/** @throws RangeError for fragments that spread themselves. */
function fieldAt(
  keys: readonly string[],
  { selectionSet }: Pick<FieldNode, 'selectionSet'>,
  document: DocumentNode,
): FieldNode | undefined {
  for (const node of selectionSet?.selections ?? []) {
    let found: FieldNode | undefined;
    if (node.kind === Kind.INLINE_FRAGMENT) found = fieldAt(keys, node, document);
    else if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = document.definitions.find(
        (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === node.name.value,
      );
      found = fieldAt(keys, fragment as FragmentDefinitionNode, document);
    } else if ((node.alias ?? node.name).value === keys[0]) {
      found = keys.length === 1 ? node : fieldAt(keys.slice(1), node, document);
    }
    if (found) return found;
  }
  return undefined;
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
