/** Additions to GraphiQL's editors. */
import { useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import { useEffect, useState } from 'react';
import { quickFixes } from './quick-fix.ts';

export function Editors() {
  useReadyEditors();
  useShortcuts();
  useSystemColors();
  useSuggestions();
  return null;
}

/**
 * Prepares the editors, makes them as high as whole lines, and marks the page as ready: GraphiQL's Play button does
 * nothing until all editors are there, and is hidden till then.
 */
function useReadyEditors(): void {
  const query = useGraphiQL((state) => state.queryEditor);
  const variables = useGraphiQL((state) => state.variableEditor);
  const headers = useGraphiQL((state) => state.headerEditor);
  const response = useGraphiQL((state) => state.responseEditor);
  const monaco = useMonaco((state) => state.monaco);
  useEffect(() => {
    if (!monaco || !query || !variables || !headers || !response) return undefined;
    const root = document.documentElement;
    // Tab leaves all editors, so that the keyboard reaches the rest of the page.
    if (!root.hasAttribute('data-ready'))
      query.trigger('page', 'editor.action.toggleTabFocusMode', null);
    // Suggestions are fields of the schema, not words of the document.
    query.updateOptions({
      wordBasedSuggestions: 'off',
      wordWrap: 'on',
      // Enter after a brace inserts a line; after a letter or an arrow it accepts the suggestion.
      suggest: { selectionMode: 'whenQuickSuggestion' },
    });
    for (const editor of [variables, headers]) editor.updateOptions({ wordWrap: 'on' });
    root.toggleAttribute('data-ready', true);
    const fit = new ResizeObserver((entries) => {
      const lineHeight = query.getOption(monaco.editor.EditorOption.lineHeight);
      for (const { target, borderBoxSize } of entries) {
        const rest = (borderBoxSize[0]?.blockSize ?? 0) % lineHeight;
        (target as HTMLElement).style.paddingBottom = `${rest}px`;
      }
    });
    for (const editor of [query, variables, headers, response])
      fit.observe(editor.getContainerDomNode(), { box: 'border-box' });
    return () => fit.disconnect();
  }, [monaco, query, variables, headers, response]);
}

/**
 * Ctrl+Enter runs the query outside of the editors too. Prettify and Merge have the keys that GraphiQL shows, where its
 * own need the Windows key.
 */
function useShortcuts(): void {
  const { run, prettifyEditors, mergeQuery } = useGraphiQLActions();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { code, key, ctrlKey, shiftKey, altKey, metaKey, target, defaultPrevented } = event;
      if (defaultPrevented) return;
      const isInEditor = target instanceof Element && target.closest('.monaco-editor');
      const isCovered = document.querySelector('[role=dialog], [role=menu]');
      const plays = key === 'Enter' && (ctrlKey || metaKey) && !isInEditor && !isCovered;
      const formats = ctrlKey && shiftKey && !altKey && !metaKey;
      const action = plays ? run : formats && { KeyP: prettifyEditors, KeyM: mergeQuery }[code];
      if (!action) return;
      // Keep the focused button from being pressed, and take the value of a focused field.
      event.preventDefault();
      if (plays && target instanceof HTMLInputElement) target.blur();
      void action();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [run, prettifyEditors, mergeQuery]);
}

/** Follows changes of the system's colour scheme, which GraphiQL's editors read once. */
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

function useSuggestions(): void {
  const monaco = useMonaco((state) => state.monaco);
  const monacoGraphQL = useMonaco((state) => state.monacoGraphQL);
  const schema = useGraphiQL((state) => state.schema);
  useEffect(() => {
    if (!monaco || !monacoGraphQL || !schema) return undefined;
    const fixing = monaco.languages.registerCodeActionProvider('graphql', quickFixes);
    let completing: { dispose: () => void } | undefined;
    let isOver = false;
    // A separate chunk, loaded with the editor.
    void import('./completion.ts').then(({ completionOf }) => {
      if (isOver) return;
      const { modeConfiguration } = monacoGraphQL;
      if (modeConfiguration.completionItems)
        monacoGraphQL.setModeConfiguration({ ...modeConfiguration, completionItems: false });
      completing = monaco.languages.registerCompletionItemProvider('graphql', completionOf(schema));
    });
    return () => {
      isOver = true;
      completing?.dispose();
      fixing.dispose();
    };
  }, [monaco, monacoGraphQL, schema]);
}

/** The current text of an editor; empty until it has loaded. */
export function useEditorText(name: 'queryEditor' | 'variableEditor' | 'headerEditor'): string {
  const editor = useGraphiQL((state) => state[name]);
  const [text, setText] = useState('');
  useEffect(() => {
    if (!editor) return undefined;
    setText(editor.getValue());
    const listening = editor.onDidChangeModelContent(() => setText(editor.getValue()));
    return () => listening.dispose();
  }, [editor]);
  return text;
}
