/**
 * What the editors do beside what GraphiQL has them do.
 */
import { useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import { useEffect } from 'react';
import { quickFixes } from './quick-fix.ts';

export function Editors() {
  useReadiness();
  useWholeLines();
  usePlayKey();
  useSystemColors();
  useCompletion();
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
    query.updateOptions({
      wordBasedSuggestions: 'off',
      wordWrap: 'on',
      // Enter after a brace begins a line, and takes a suggestion once a letter or an arrow has chosen one.
      suggest: { selectionMode: 'whenQuickSuggestion' },
    });
    root.toggleAttribute('data-ready', true);
  }, [query, variables, headers, response]);
}

/** Editors are as high as whole lines: the last one is not cut through its letters. */
function useWholeLines(): void {
  const query = useGraphiQL((state) => state.queryEditor);
  const response = useGraphiQL((state) => state.responseEditor);
  const monaco = useMonaco((state) => state.monaco);
  useEffect(() => {
    if (!monaco || !query || !response) return undefined;
    const fit = new ResizeObserver((entries) => {
      const lineHeight = query.getOption(monaco.editor.EditorOption.lineHeight);
      for (const { target, borderBoxSize } of entries) {
        const rest = (borderBoxSize[0]?.blockSize ?? 0) % lineHeight;
        (target as HTMLElement).style.paddingBottom = `${rest}px`;
      }
    });
    for (const editor of [query, response])
      fit.observe(editor.getContainerDomNode(), { box: 'border-box' });
    return () => fit.disconnect();
  }, [monaco, query, response]);
}

/** GraphiQL's editors run the query at Ctrl+Enter; here the rest of the page does, as after Prettify or a load. */
function usePlayKey(): void {
  const { run } = useGraphiQLActions();
  useEffect(() => {
    const play = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, target, defaultPrevented } = event;
      const isInEditor = target instanceof Element && target.closest('.monaco-editor');
      if (key !== 'Enter' || !(ctrlKey || metaKey) || defaultPrevented || isInEditor) return;
      if (document.querySelector('[role=dialog], [role=menu]')) return;
      // The button with the focus is not pressed by it, and a field with the focus is read.
      event.preventDefault();
      if (target instanceof HTMLInputElement) target.blur();
      void run();
    };
    document.addEventListener('keydown', play);
    return () => document.removeEventListener('keydown', play);
  }, [run]);
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

function useCompletion(): void {
  const monaco = useMonaco((state) => state.monaco);
  const monacoGraphQL = useMonaco((state) => state.monacoGraphQL);
  const schema = useGraphiQL((state) => state.schema);
  useEffect(() => {
    if (!monaco || !monacoGraphQL || !schema) return undefined;
    let completing: { dispose: () => void } | undefined;
    let isOver = false;
    // Loaded with the editor, and not before the page.
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
    };
  }, [monaco, monacoGraphQL, schema]);
}

function useQuickFixes(): void {
  const monaco = useMonaco((state) => state.monaco);
  useEffect(() => {
    if (!monaco) return undefined;
    const offering = monaco.languages.registerCodeActionProvider('graphql', quickFixes);
    return () => offering.dispose();
  }, [monaco]);
}
