/** HTTP status, time, bytes, errors by code and headers of the last response, and subscriptions in other tabs. */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { stripIgnoredCharacters } from 'graphql';
import { useMemo } from 'react';
import { orUndefined } from '../../lib/or-undefined.ts';
import { useExchange, useSentHeaders, type TabExchange } from '../exchange/exchange.ts';
import { objectIn } from '../exchange/json.ts';
import { useSubscribedTabs } from '../exchange/subscriptions.ts';
import { useEditorText } from '../page/editors.tsx';

export function StatusLine() {
  const exchange = useExchange();
  return (
    <div className="status-line">
      <div role="status" aria-live="polite">
        {exchange && <Outdated exchange={exchange} />}
        {exchange && <Status exchange={exchange} />}
      </div>
      <SubscribedTabs />
    </div>
  );
}

function Outdated({ exchange }: { exchange: TabExchange }) {
  const change = useChangeSince(exchange);
  return change && <em className="outdated">{change}</em>;
}

function Status({ exchange }: { exchange: TabExchange }) {
  const { status, durationMs, timing, bodyBytes, headers, results, failure, stream } = exchange;
  if (status === undefined) return <strong className="failed">{failure}</strong>;
  const wireBytes = timing?.wireBytes || bodyBytes;
  return (
    <>
      <strong className={status < 400 ? '' : 'failed'}>HTTP {status}</strong>
      <span>{Math.round(durationMs)} ms</span>
      <span>
        {bytes(wireBytes)}
        {wireBytes !== bodyBytes && `, ${bytes(bodyBytes)} uncompressed`}
      </span>
      {results > 1 && <span>{results} results</span>}
      {failure && !stream && <span className="failed">{failure}</span>}
      {errorsByCode(exchange).map(({ code, count, retryAfterMs }) => (
        <span key={code} className="failed">
          {count} × {code}
          {retryAfterMs !== undefined && `, retry after ${Math.ceil(retryAfterMs / 1_000)} s`}
        </span>
      ))}
      <details>
        <summary>Response headers</summary>
        <dl>
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

function SubscribedTabs() {
  const subscribed = useSubscribedTabs();
  const tabs = useGraphiQL((state) => state.tabs);
  const activeTabIndex = useGraphiQL((state) => state.activeTabIndex);
  const { changeTab } = useGraphiQLActions();
  const others = tabs.flatMap(({ id, title }, index) =>
    index !== activeTabIndex && subscribed.includes(id) ? [{ id, title, index }] : [],
  );
  if (others.length === 0) return null;
  return (
    <p className="subscribed-tabs">
      Still subscribed in
      {others.map(({ id, title, index }) => (
        <button key={id} type="button" onClick={() => changeTab(index)}>
          {title}
        </button>
      ))}
    </p>
  );
}

function errorsByCode({ result }: TabExchange) {
  const counts = new Map<string, { count: number; retryAfterMs: number | undefined }>();
  for (const { extensions } of result?.errors ?? []) {
    const { code: given } = extensions ?? {};
    const code = typeof given === 'string' ? given : 'no code';
    const known = counts.get(code);
    const wait = extensions?.['retryAfterMs'];
    counts.set(code, {
      count: (known?.count ?? 0) + 1,
      retryAfterMs:
        typeof wait === 'number' ? Math.max(wait, known?.retryAfterMs ?? 0) : known?.retryAfterMs,
    });
  }
  return [...counts].map(([code, counted]) => ({ code, ...counted }));
}

const bytes = (count: number): string =>
  count < 1_000 ? `${count} bytes` : `${(count / 1_000).toFixed(1)} kB`;

/** Describes what has changed since the request was sent; undefined when nothing has. */
function useChangeSince({ request }: TabExchange): string | undefined {
  const query = useEditorText('queryEditor');
  const variables = useEditorText('variableEditor');
  const headers = useEditorText('headerEditor');
  const sentHeaders = useSentHeaders();
  const operationName = useGraphiQL((state) => state.operationName);
  const isQuerySame = useMemo(
    () => normalize(query) === normalize(request.query),
    [query, request.query],
  );
  // An editor is empty until it has loaded.
  if (query && !isQuerySame) return 'The query has changed since this response.';
  if (JSON.stringify(objectIn(variables)) !== JSON.stringify(request.variables ?? {}))
    return 'The variables have changed since this response.';
  if (sentHeaders !== undefined && JSON.stringify(objectIn(headers)) !== sentHeaders)
    return 'The headers have changed since this response.';
  const isOperationSame =
    !operationName || !request.operationName || operationName === request.operationName;
  return isOperationSame ? undefined : 'This response is for another operation.';
}

const normalize = (query: string): string =>
  orUndefined(() => stripIgnoredCharacters(query)) ?? query;
