/** GraphiQL with the cost of a query above the editor, and its REST calls below the response. */
import 'graphiql/style.css';
import '@graphiql/plugin-explorer/style.css';
import './page/explorer.css';
import './page/workers.ts';
import { DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { explorerPlugin } from '@graphiql/plugin-explorer';
import { HISTORY_PLUGIN, HistoryStore } from '@graphiql/plugin-history';
import { GraphiQLProvider, type GraphiQLPlugin } from '@graphiql/react';
import { GraphiQL, GraphiQLInterface } from 'graphiql';
import { useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { lastDocument, tabStorage, takeLink } from './documents/stored-documents.ts';
import { Editors } from './page/editors.tsx';
import { documentsPlugin, useOpenDocument } from './documents/documents-plugin.tsx';
import { idFinder } from './documents/examples.ts';
import { FirstPage, firstDocument, withPage } from './documents/first-page.tsx';
import { offerApiKey, useApiKey } from './exchange/api-key.ts';
import { createFetcher } from './exchange/fetcher.ts';
import { ask } from './exchange/request.ts';
import { DOCUMENTATION_PLUGIN } from './page/documentation-plugin.tsx';
import { environmentInUse, ENVIRONMENTS_PLUGIN } from './page/environments-plugin.tsx';
import type { PageSettings } from '../client/page-settings.ts';
import { StatusLine } from './waterfall/status-line.tsx';
import { TabArrows, Tabs } from './page/tabs.tsx';
import { TopBar } from './page/top-bar.tsx';
import { WaterfallPane } from './waterfall/waterfall.tsx';

/** Settings of a page that the server wrote none into, as in development. */
const DEFAULTS: PageSettings = { introspection: 'on', explain: 'on', needsKey: true };

const written = document.getElementById('settings')?.textContent.trim();
const settings = {
  ...DEFAULTS,
  ...(written ? (JSON.parse(written) as Partial<PageSettings>) : {}),
};
if (settings.apiKey) offerApiKey(settings.apiKey);

/** A colour of GraphiQL, mixed with that of the text for contrast. */
const strong = (color: string): string =>
  `color-mix(in srgb, hsl(var(--color-${color})) 55%, hsl(var(--color-neutral)))`;

const COLORS = {
  keyword: strong('primary'),
  def: strong('tertiary'),
  property: strong('info'),
  qualifier: strong('secondary'),
  attribute: strong('tertiary'),
  number: strong('success'),
  string: strong('warning'),
  builtin: strong('success'),
  string2: strong('secondary'),
  variable: strong('secondary'),
  atom: strong('tertiary'),
};

function fieldsPlugin(): GraphiQLPlugin {
  const { content: Content, ...plugin } = explorerPlugin({ title: 'Fields', colors: COLORS });
  return {
    ...plugin,
    title: 'Fields',
    content: () => (
      // Takes the focus when it is clicked, which lets new inputs focus themselves.
      <div className="fields-panel" tabIndex={-1}>
        <Content />
      </div>
    ),
  };
}

createRoot(document.getElementById('explorer')!).render(<Explorer settings={settings} />);

function Explorer({ settings }: { settings: PageSettings }) {
  const findIds = useMemo(() => idFinder(ask, settings.pageId), [settings]);
  const fetcher = useMemo(
    () => createFetcher(settings, (request) => withPage(request, findIds)),
    [settings, findIds],
  );
  const plugins = useMemo(
    () => [
      DOCUMENTATION_PLUGIN,
      documentsPlugin(findIds),
      fieldsPlugin(),
      HISTORY_PLUGIN,
      ENVIRONMENTS_PLUGIN,
    ],
    [findIds],
  );
  const key = useApiKey();
  const asksSchema =
    settings.introspection === 'on' || (settings.introspection === 'keys' && key !== '');
  const [first] = useState(() => takeLink() ?? lastDocument() ?? firstDocument(settings.pageId));
  return (
    <GraphiQLProvider
      fetcher={fetcher}
      plugins={plugins}
      referencePlugin={DOCUMENTATION_PLUGIN}
      storage={tabStorage}
      inputValueDeprecation
      initialQuery={first.query}
      initialVariables={first.variables}
      initialHeaders={first.headers ?? environmentInUse()?.headers ?? ''}
      shouldPersistHeaders
      {...(!asksSchema && { schema: null })}
    >
      <HistoryStore>
        <DocExplorerStore>
          <Editors />
          <Tabs />
          <FirstPage needsKey={settings.needsKey} findIds={findIds} />
          <FollowedLinks />
          <TopBar settings={settings} />
          <GraphiQLInterface
            defaultEditorToolsVisibility="variables"
            showPersistHeadersSettings={false}
          >
            <GraphiQL.Logo>
              <TabArrows />
            </GraphiQL.Logo>
            <GraphiQL.Footer>
              <StatusLine />
              <WaterfallPane suggests={settings.introspection !== 'off'} />
            </GraphiQL.Footer>
          </GraphiQLInterface>
        </DocExplorerStore>
      </HistoryStore>
    </GraphiQLProvider>
  );
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
