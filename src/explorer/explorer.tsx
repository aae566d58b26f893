/**
 * GraphiQL with what this gateway knows beside it: the cost above the query, the REST calls below
 * the answer.
 */
import { explorerPlugin } from '@graphiql/plugin-explorer';
import { DOC_EXPLORER_PLUGIN, DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { HISTORY_PLUGIN, HistoryStore } from '@graphiql/plugin-history';
import { GraphiQLProvider, useGraphiQL } from '@graphiql/react';
import { GraphiQL, GraphiQLInterface } from 'graphiql';
import { useEffect, useMemo } from 'react';
import { documentsPlugin } from './examples/documents-plugin.tsx';
import { EXAMPLES } from './examples/examples.ts';
import { createFetcher } from './exchange/fetcher.ts';
import { readLink } from './page/share.ts';
import { StatusLine } from './page/status-line.tsx';
import { TopBar } from './page/top-bar.tsx';
import type { Settings } from './settings.ts';
import { WaterfallPane } from './waterfall/waterfall.tsx';

export function Explorer({ settings }: { settings: Settings }) {
  const fetcher = useMemo(() => createFetcher(settings), [settings]);
  const plugins = useMemo(
    () => [DOC_EXPLORER_PLUGIN, documentsPlugin(settings), explorerPlugin(), HISTORY_PLUGIN],
    [settings],
  );
  const first = useMemo(
    () => readLink(location.hash) ?? storedDocument() ?? firstExample(settings),
    [settings],
  );
  useTabRoles();
  return (
    <GraphiQLProvider
      fetcher={fetcher}
      plugins={plugins}
      referencePlugin={DOC_EXPLORER_PLUGIN}
      initialQuery={first.query}
      initialVariables={first.variables}
      {...(!settings.introspection && { schema: null })}
    >
      <HistoryStore>
        <DocExplorerStore>
          <Readiness />
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
  const isReady = useGraphiQL(({ queryEditor, variableEditor, responseEditor }) =>
    Boolean(queryEditor && variableEditor && responseEditor),
  );
  useEffect(() => {
    document.documentElement.toggleAttribute('data-ready', isReady);
  }, [isReady]);
  return null;
}

/** GraphiQL calls each tab's list item the tab, though the button in it is: screen readers need the button. */
function useTabRoles(): void {
  useEffect(() => {
    const mend = (): void => {
      for (const item of document.querySelectorAll('.graphiql-tab[aria-selected]')) {
        const selected = item.getAttribute('aria-selected') ?? 'false';
        item.setAttribute('role', 'presentation');
        item.removeAttribute('aria-selected');
        const button = item.querySelector('.graphiql-tab-button');
        button?.setAttribute('role', 'tab');
        button?.setAttribute('aria-selected', selected);
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

interface OpenDocument {
  readonly query: string;
  readonly variables: string;
}

/** The tab that was open last: GraphiQL itself forgets the variables of a tab nobody has edited. */
function storedDocument(): OpenDocument | undefined {
  try {
    const { tabs, activeTabIndex } = JSON.parse(
      localStorage.getItem('graphiql:tabState') ?? '',
    ) as {
      readonly tabs: readonly {
        readonly query: string | null;
        readonly variables: string | null;
      }[];
      readonly activeTabIndex: number;
    };
    const tab = tabs[activeTabIndex];
    return tab?.query ? { query: tab.query, variables: tab.variables ?? '' } : undefined;
  } catch {
    return undefined;
  }
}

/** What a first visitor finds. */
function firstExample({ pageId }: Settings): OpenDocument {
  const { document, variables } = EXAMPLES[0]!;
  const ids = { accountId: null, personId: null, topicId: null, versionId: null };
  const values = variables({ ...ids, pageId: pageId ?? 'the id of a page' });
  return { query: document, variables: JSON.stringify(values, null, 2) };
}
