/**
 * GraphiQL with what this gateway knows beside it: the cost above the query, the REST calls below
 * the answer.
 */
import { explorerPlugin } from '@graphiql/plugin-explorer';
import { DOC_EXPLORER_PLUGIN, DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { HISTORY_PLUGIN, HistoryStore } from '@graphiql/plugin-history';
import { GraphiQLProvider, useGraphiQL } from '@graphiql/react';
import { GraphiQL, GraphiQLInterface } from 'graphiql';
import { useEffect, useMemo, useState } from 'react';
import { documentsPlugin, useOpenDocument } from './examples/documents-plugin.tsx';
import { idFinder, type FindIds } from './examples/example-ids.ts';
import { FIRST_EXAMPLE } from './examples/examples.ts';
import { useApiKey } from './exchange/api-key.ts';
import { createFetcher } from './exchange/fetcher.ts';
import { ask } from './exchange/request.ts';
import { takeLink } from './page/share.ts';
import { StatusLine } from './page/status-line.tsx';
import { lastDocument, tabStorage, type OpenDocument } from './page/tab-storage.ts';
import { TopBar } from './page/top-bar.tsx';
import type { Settings } from './settings.ts';
import { WaterfallPane } from './waterfall/waterfall.tsx';

export function Explorer({ settings }: { settings: Settings }) {
  const fetcher = useMemo(() => createFetcher(settings), [settings]);
  const findIds = useMemo(() => idFinder(ask, settings.pageId), [settings]);
  const plugins = useMemo(
    () => [DOC_EXPLORER_PLUGIN, documentsPlugin(findIds), explorerPlugin(), HISTORY_PLUGIN],
    [findIds],
  );
  const [first] = useState(() => takeLink() ?? lastDocument() ?? firstDocument(settings));
  useTabRoles();
  return (
    <GraphiQLProvider
      fetcher={fetcher}
      plugins={plugins}
      referencePlugin={DOC_EXPLORER_PLUGIN}
      storage={tabStorage}
      initialQuery={first.query}
      initialVariables={first.variables}
      {...(!settings.introspection && { schema: null })}
    >
      <HistoryStore>
        <DocExplorerStore>
          <Readiness />
          <FirstId settings={settings} findIds={findIds} />
          <FollowedLinks />
          <TopBar settings={settings} />
          <GraphiQLInterface
            defaultEditorToolsVisibility="variables"
            isHeadersEditorEnabled={false}
            showPersistHeadersSettings={false}
          >
            <GraphiQL.Logo>{null}</GraphiQL.Logo>
            <GraphiQL.Footer>
              <StatusLine />
              <WaterfallPane />
            </GraphiQL.Footer>
          </GraphiQLInterface>
        </DocExplorerStore>
      </HistoryStore>
    </GraphiQLProvider>
  );
}

/** GraphiQL shows Play before the editors are there, and ignores who presses it: the style sheet waits for this. */
function Readiness() {
  const query = useGraphiQL((state) => state.queryEditor);
  const variables = useGraphiQL((state) => state.variableEditor);
  const response = useGraphiQL((state) => state.responseEditor);
  useEffect(() => {
    const root = document.documentElement;
    if (!query || !variables || !response || root.hasAttribute('data-ready')) return;
    // Of all editors at once. Nobody without a mouse may be caught in one: Tab leaves it.
    query.trigger('page', 'editor.action.toggleTabFocusMode', null);
    root.toggleAttribute('data-ready', true);
  }, [query, variables, response]);
  return null;
}

/** GraphiQL's list of tabs holds buttons that close them, which a tablist may not: here it is a plain list. */
function useTabRoles(): void {
  useEffect(() => {
    const mend = (): void => {
      for (const item of document.querySelectorAll('.graphiql-tab[aria-selected]')) {
        const selected = item.getAttribute('aria-selected') ?? 'false';
        item.parentElement?.removeAttribute('role');
        item.removeAttribute('role');
        item.removeAttribute('aria-selected');
        item.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', selected);
      }
    };
    const watching = new MutationObserver(mend);
    watching.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ['aria-selected'],
    });
    mend();
    return () => watching.disconnect();
  }, []);
}

/** Stands for the id of a page until one is known. */
const NO_PAGE_ID = 'the id of a page';

/** What a first visitor finds. */
function firstDocument({ pageId }: Settings): OpenDocument {
  const ids = { accountId: null, personId: null, topicId: null, versionId: null };
  const variables = FIRST_EXAMPLE.variables({ ...ids, pageId: pageId ?? NO_PAGE_ID });
  return { query: FIRST_EXAMPLE.document, variables: JSON.stringify(variables, null, 2) };
}

/** Over a deployment the first example is about one of its pages as soon as there is a key to look with. */
function FirstId({ settings, findIds }: { settings: Settings; findIds: FindIds }) {
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const apiKey = useApiKey();
  const canAsk = apiKey !== '' || !settings.needsKey;
  useEffect(() => {
    if (!canAsk || !variableEditor?.getValue().includes(NO_PAGE_ID)) return;
    void findIds().then(({ pageId }) => {
      const text = variableEditor.getValue();
      if (pageId !== null) variableEditor.setValue(text.replace(NO_PAGE_ID, pageId));
    });
  }, [apiKey, canAsk, variableEditor, findIds]);
  return null;
}

/** Opens the document of a link that is followed while the page is open. */
function FollowedLinks() {
  const open = useOpenDocument();
  useEffect(() => {
    const follow = (): void => {
      const linked = takeLink();
      if (linked) open(linked.query, linked.variables);
    };
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [open]);
  return null;
}
