/**
 * GraphiQL with what this gateway knows beside it: the cost above the query, the REST calls below
 * the answer.
 */
import 'graphiql/style.css';
import '@graphiql/plugin-explorer/style.css';
import './page/explorer.css';
import './page/workers.ts';
import { explorerPlugin } from '@graphiql/plugin-explorer';
import { DOC_EXPLORER_PLUGIN, DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { HISTORY_PLUGIN, HistoryStore } from '@graphiql/plugin-history';
import { GraphiQLProvider, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { GraphiQL, GraphiQLInterface } from 'graphiql';
import { useEffect, useMemo, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { ExplorerSettings } from '../server/http/explorer.ts';
import { documentsPlugin, useOpenDocument } from './examples/documents-plugin.tsx';
import { idFinder, type FindIds } from './examples/example-ids.ts';
import { FIRST_EXAMPLE } from './examples/examples.ts';
import { offerApiKey, useApiKey } from './exchange/api-key.ts';
import { showTab, useExchange } from './exchange/exchange.ts';
import { createFetcher } from './exchange/fetcher.ts';
import { ask } from './exchange/request.ts';
import { isPhone } from './page/phone.ts';
import { takeLink } from './page/share.ts';
import { StatusLine } from './page/status-line.tsx';
import { lastDocument, tabStorage, type OpenDocument } from './page/tab-storage.ts';
import { TopBar } from './page/top-bar.tsx';
import { WaterfallPane } from './waterfall/waterfall.tsx';

const DEFAULT_SETTINGS: ExplorerSettings = { introspection: true, explain: 'on', needsKey: true };

/** In place of the id of a page until one is known. */
const NO_PAGE_ID = 'the id of a page';

const settings = readSettings();
if (settings.apiKey) offerApiKey(settings.apiKey);
createRoot(document.getElementById('explorer')!).render(<Explorer settings={settings} />);

/** The server writes them into the page; the defaults where it was served without any, as in development. */
function readSettings(): ExplorerSettings {
  const text = document.getElementById('settings')?.textContent.trim();
  return { ...DEFAULT_SETTINGS, ...(text ? (JSON.parse(text) as Partial<ExplorerSettings>) : {}) };
}

function Explorer({ settings }: { settings: ExplorerSettings }) {
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
          <ShownTab />
          <AnswerInView />
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

/** GraphiQL shows Play before the editors are there, and does nothing when it is pressed: the style sheet waits for this. */
function Readiness() {
  const query = useGraphiQL((state) => state.queryEditor);
  const variables = useGraphiQL((state) => state.variableEditor);
  const response = useGraphiQL((state) => state.responseEditor);
  useEffect(() => {
    const root = document.documentElement;
    if (!query || !variables || !response || root.hasAttribute('data-ready')) return;
    // Of all editors at once: Tab leaves them, so that a keyboard reaches the rest of the page.
    query.trigger('page', 'editor.action.toggleTabFocusMode', null);
    // Words of the document are no fields of the schema, and a line that runs out of sight is not read.
    query.updateOptions({ wordBasedSuggestions: 'off', wordWrap: 'on' });
    root.toggleAttribute('data-ready', true);
  }, [query, variables, response]);
  return null;
}

/** What was sent from a tab is shown with that tab, and ends when another is chosen. */
function ShownTab() {
  const { stop } = useGraphiQLActions();
  const tabs = useGraphiQL((state) => state.tabs);
  const id = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.id ?? '');
  // GraphiQL would write the answer to the tab before into this one.
  useEffect(() => stop(), [id, stop]);
  useEffect(
    () =>
      showTab(
        id,
        tabs.map((tab) => tab.id),
      ),
    [id, tabs],
  );
  return null;
}

/** On a phone the answer is below the query, out of sight when Play is pressed. */
function AnswerInView() {
  const sentMs = useExchange()?.startedAt.getTime() ?? 0;
  const newestMs = useRef(0);
  useEffect(() => {
    if (sentMs <= newestMs.current) return; // of a tab that was chosen again
    newestMs.current = sentMs;
    if (isPhone()) document.querySelector('.graphiql-response')?.scrollIntoView();
  }, [sentMs]);
  return null;
}

/** GraphiQL's list of tabs holds buttons that close them, which a tablist may not: here it is a plain list. */
function useTabRoles(): void {
  useEffect(() => {
    const correct = (): void => {
      for (const item of document.querySelectorAll('.graphiql-tab[aria-selected]')) {
        const selected = item.getAttribute('aria-selected') ?? 'false';
        item.parentElement?.removeAttribute('role');
        item.removeAttribute('role');
        item.removeAttribute('aria-selected');
        item.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', selected);
      }
    };
    const watching = new MutationObserver(correct);
    watching.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ['aria-selected'],
    });
    correct();
    return () => watching.disconnect();
  }, []);
}

/** What a first visitor finds. */
function firstDocument({ pageId }: ExplorerSettings): OpenDocument {
  const ids = { accountId: null, personId: null, topicId: null, versionId: null };
  const variables = FIRST_EXAMPLE.variables({ ...ids, pageId: pageId ?? NO_PAGE_ID });
  return { query: FIRST_EXAMPLE.document, variables: JSON.stringify(variables, null, 2) };
}

/** Over a deployment the first example is about one of its pages as soon as there is a key to look with. */
function FirstId({ settings, findIds }: { settings: ExplorerSettings; findIds: FindIds }) {
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
