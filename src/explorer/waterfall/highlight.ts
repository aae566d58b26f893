/**
 * Marks a field in the query and in the answer.
 */
import { useGraphiQL, useMonaco, type MonacoEditor } from '@graphiql/react';
import { parse } from 'graphql';
import { useRef } from 'react';
import { locateInAnswer, locateInQuery, type TextRange } from './locate.ts';

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
      ...mark(responseEditor, (text) => locateInAnswer(text, path)),
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
