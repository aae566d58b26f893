/**
 * What the editors do beside what GraphiQL has them do.
 */
import { useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import { useEffect } from 'react';
import { quickFixes } from './quick-fix.ts';

export function Editors() {
  useReadiness();
  useSystemColors();
  useSuggestionsAfterBraces();
  useQuickFixes();
  return null;
}

/** GraphiQL shows Play before the editors are there, and does nothing when it is pressed: the style sheet waits for this. */
function useReadiness(): void {
  const query = useGraphiQL((state) => state.queryEditor);
  const variables = useGraphiQL((state) => state.variableEditor);
  const headers = useGraphiQL((state) => state.headerEditor);
  const response = useGraphiQL((state) => state.responseEditor);
  useEffect(() => {
    const root = document.documentElement;
    if (!query || !variables || !headers || !response || root.hasAttribute('data-ready')) return;
    // Of all editors at once: Tab leaves them, so that a keyboard reaches the rest of the page.
    query.trigger('page', 'editor.action.toggleTabFocusMode', null);
    // Words of the document are no fields of the schema, and a line that runs out of sight is not read.
    query.updateOptions({ wordBasedSuggestions: 'off', wordWrap: 'on' });
    root.toggleAttribute('data-ready', true);
  }, [query, variables, headers, response]);
}

/** GraphiQL asks for the system's colours once, and its style sheet follows them at once. */
function useSystemColors(): void {
  const theme = useGraphiQL((state) => state.theme);
  const { setTheme } = useGraphiQLActions();
  useEffect(() => {
    if (theme !== null) return undefined;
    const colors = matchMedia('(prefers-color-scheme: dark)');
    const follow = (): void => setTheme(null);
    colors.addEventListener('change', follow);
    return () => colors.removeEventListener('change', follow);
  }, [theme, setTheme]);
}

/** What is typed where a field may follow: a brace, which is closed at once, or a new line between two. */
const BEFORE_FIELD = /^(?:\{\}?|\n\s*(?:\n\s*)?)$/;

/** monaco-graphql suggests after spaces and colons, and not where most fields begin. */
function useSuggestionsAfterBraces(): void {
  const editor = useGraphiQL((state) => state.queryEditor);
  const schema = useGraphiQL((state) => state.schema);
  useEffect(() => {
    if (!editor || !schema) return undefined;
    const listening = editor.onDidChangeModelContent(
      ({ changes, isFlush, isUndoing, isRedoing }) => {
        const [change] = changes;
        if (isFlush || isUndoing || isRedoing || changes.length !== 1) return;
        if (!BEFORE_FIELD.test(change!.text) || !editor.hasTextFocus()) return;
        const before =
          editor
            .getModel()
            ?.getValue()
            .slice(0, change!.rangeOffset + 1) ?? '';
        if (/\{\s*$/.test(before)) editor.trigger('page', 'editor.action.triggerSuggest', {});
      },
    );
    return () => listening.dispose();
  }, [editor, schema]);
}

function useQuickFixes(): void {
  const monaco = useMonaco((state) => state.monaco);
  useEffect(() => {
    if (!monaco) return undefined;
    const offering = monaco.languages.registerCodeActionProvider('graphql', quickFixes);
    return () => offering.dispose();
  }, [monaco]);
}
