/** Quick fixes from "Did you mean …?" in validation errors. */
import type * as monaco from 'monaco-editor';

/** The names suggested by an error of graphql-js, best first. */
export function suggestionsIn(message: string): readonly string[] {
  // `Did you mean to use an inline fragment on "A"?` has no name for this place.
  const [, names] = /Did you mean (?!to use )(.*)\?$/s.exec(message) ?? [];
  // `Did you mean "page { ... }"?` has no name either.
  return [...(names ?? '').matchAll(/"(\w+)"/g)].map(([, name]) => name!);
}

export const quickFixes: monaco.languages.CodeActionProvider = {
  provideCodeActions: (model, _range, { markers }) => ({
    actions: markers.flatMap((marker) =>
      suggestionsIn(marker.message).map((name, index) => ({
        title: `Change to “${name}”`,
        kind: 'quickfix',
        diagnostics: [marker],
        isPreferred: index === 0,
        edit: {
          edits: [
            {
              resource: model.uri,
              versionId: model.getVersionId(),
              textEdit: { range: nameAt(model, marker), text: name },
            },
          ],
        },
      })),
    ),
    dispose: () => {},
  }),
};

/** The range of the whole name. Markers may cover a part of it. */
function nameAt(model: monaco.editor.ITextModel, marker: monaco.IRange): monaco.IRange {
  const { startLineNumber, startColumn } = marker;
  const word = model.getWordAtPosition({ lineNumber: startLineNumber, column: startColumn });
  if (!word) return marker;
  const { startColumn: begin, endColumn: end } = word;
  return { ...marker, startColumn: begin, endLineNumber: startLineNumber, endColumn: end };
}
