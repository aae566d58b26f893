/**
 * The fix that a mistake suggests: "Did you mean …?" becomes one press in the editor.
 */
import type * as monaco from 'monaco-editor';

/** The names that a message of graphql-js suggests for the one that is wrong, the best first. */
export function suggestionsIn(message: string): readonly string[] {
  // `Did you mean to use an inline fragment on "A"?` suggests no name for this place.
  const [, names] = /Did you mean (?!to use )(.*)\?$/s.exec(message) ?? [];
  // `Did you mean "page { ... }"?` asks for fields.
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

/** The whole name, of which a marker may cover a part. */
function nameAt(model: monaco.editor.ITextModel, marker: monaco.IRange): monaco.IRange {
  const { startLineNumber, startColumn } = marker;
  const word = model.getWordAtPosition({ lineNumber: startLineNumber, column: startColumn });
  return word ? { ...marker, endLineNumber: startLineNumber, ...columnsOf(word) } : marker;
}

const columnsOf = ({ startColumn, endColumn }: monaco.editor.IWordAtPosition) => ({
  startColumn,
  endColumn,
});
