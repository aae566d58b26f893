/** Additions to GraphiQL's tabs: stored responses, environments, and subscriptions that continue in the background. */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import {
  responseOf,
  forgetExchange,
  storeResponse,
  showTab,
  useExchange,
} from '../exchange/exchange.ts';
import { stopClosed, resultsInView, useSubscribedTabs } from '../exchange/subscriptions.ts';
import { isPhone } from '../documents/documents-plugin.tsx';
import type { StoredTab } from '../documents/stored-documents.ts';
import { objectIn } from '../exchange/json.ts';
import { environmentInUse } from './environments-plugin.tsx';
import { say } from '../state.ts';

export function Tabs() {
  useTabInView();
  useStoredResponse();
  useHeaders();
  useTabMarks();
  useResponseInView();
  return null;
}

function useTabInView(): void {
  const { run, stop } = useGraphiQLActions();
  const tabs = useGraphiQL((state) => state.tabs);
  const activeTabIndex = useGraphiQL((state) => state.activeTabIndex);
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const id = tabs[activeTabIndex]?.id ?? '';
  // Before effects, since those that stop operations need the tab in view.
  useLayoutEffect(() => {
    const open = tabs.map((tab) => tab.id);
    showTab(id, open);
    stopClosed(open);
  }, [id, tabs]);
  useEffect(() => {
    // GraphiQL would write a pending response of another tab into this one.
    stop();
    // Attach to the active subscription, so that Stop ends it.
    if (queryEditor && resultsInView()) run();
    // The index is no dependency: it changes when an earlier tab is closed.
  }, [id, stop, run, queryEditor]);
}

/** Start of GraphiQL's error for variables or headers that are not JSON. */
const NOT_SENT = '"Request not sent. ';

/** Restores the last response of a tab: GraphiQL has that of the tab before, and none after a reload. */
function useStoredResponse(): void {
  const { updateActiveTabValues } = useGraphiQLActions();
  const responseEditor = useGraphiQL((state) => state.responseEditor);
  const id = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.id ?? '');
  const response = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.response);
  useEffect(() => {
    if (response?.includes(NOT_SENT)) forgetExchange();
    else if (response) storeResponse(response);
  }, [response]);
  useEffect(() => {
    const stored = responseOf(id);
    if (!responseEditor || !stored || responseEditor.getValue() === stored) return;
    responseEditor.setValue(stored);
    updateActiveTabValues({ response: stored });
  }, [id, responseEditor, updateActiveTabValues]);
}

/** Copies the headers of the environment in use into new tabs, and reports credentials that are missing after a reload. */
function useHeaders(): void {
  const { updateActiveTabValues } = useGraphiQLActions();
  const headerEditor = useGraphiQL((state) => state.headerEditor);
  const tab = useGraphiQL((state) => state.tabs[state.activeTabIndex]);
  const id = tab?.id ?? '';
  const seen = useRef(new Set<string>());
  useEffect(() => {
    if (!headerEditor || seen.current.has(id)) return;
    seen.current.add(id);
    const { headers } = environmentInUse() ?? {};
    if (headers === undefined || headerEditor.getValue().trim()) return;
    headerEditor.setValue(headers);
    updateActiveTabValues({ headers });
  }, [id, headerEditor, updateActiveTabValues]);
  const { headers, missing = [] } = (tab ?? {}) as Partial<StoredTab>;
  const names = missing.filter((name) => !(name in objectIn(headers ?? ''))).join(', ');
  useEffect(() => {
    if (names) say(`Credentials are not saved across reloads. Enter ${names} again under Headers.`);
  }, [id, names]);
}

/** Makes GraphiQL's tablist a plain list, since it contains close buttons, and marks tabs with a subscription. */
function useTabMarks(): void {
  const subscribed = useSubscribedTabs();
  const tabs = useGraphiQL((state) => state.tabs);
  useEffect(() => {
    const mark = (): void => {
      document.querySelectorAll('.graphiql-tab').forEach((item, index) => {
        item.toggleAttribute('data-subscribed', subscribed.includes(tabs[index]?.id ?? ''));
        const selected = item.getAttribute('aria-selected');
        if (selected === null) return;
        item.parentElement?.removeAttribute('role');
        item.removeAttribute('role');
        item.removeAttribute('aria-selected');
        item.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', selected);
      });
    };
    const watching = new MutationObserver(mark);
    watching.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ['aria-selected'],
    });
    mark();
    return () => watching.disconnect();
  }, [subscribed, tabs]);
}

/** Scrolls to the response on phones, where it is below the query. */
function useResponseInView(): void {
  const sentMs = useExchange()?.startedAtMs ?? 0;
  const newestMs = useRef(Date.now());
  useEffect(() => {
    if (sentMs <= newestMs.current) return; // Exchanges of other tabs, or from before a reload.
    newestMs.current = sentMs;
    if (isPhone()) document.querySelector('.graphiql-response')?.scrollIntoView();
  }, [sentMs]);
}

const listOfTabs = (): HTMLElement | null => document.querySelector('.graphiql-tabs');

/** Keeps the active tab in view, and has arrows that scroll the list of tabs when it overflows. */
export function TabArrows() {
  const count = useGraphiQL((state) => state.tabs.length);
  const activeTabIndex = useGraphiQL((state) => state.activeTabIndex);
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const list = listOfTabs();
    if (!list) return undefined;
    // The title and the mark of a subscription change the width of a tab, and arrows that of the list.
    const watching = new ResizeObserver(() => {
      setFull(list.scrollWidth > list.clientWidth + 1);
      const tab = list.children[activeTabIndex];
      if (tab instanceof HTMLElement) bringIntoView(list, tab);
    });
    for (const one of [list, ...list.children]) watching.observe(one);
    return () => watching.disconnect();
  }, [count, activeTabIndex]);
  if (!isFull) return null;
  return (
    <span className="tab-arrows">
      <button type="button" aria-label="Earlier tabs" onClick={() => scroll(-1)}>
        ‹
      </button>
      <button type="button" aria-label="Later tabs" onClick={() => scroll(1)}>
        ›
      </button>
    </span>
  );
}

/** Uses layout offsets: `scrollIntoView` would measure a tab in the middle of its animation. */
function bringIntoView(list: HTMLElement, tab: HTMLElement): void {
  const left = tab.offsetLeft - (tab.offsetParent === list ? 0 : list.offsetLeft);
  const most = left + tab.offsetWidth - list.clientWidth;
  list.scrollLeft = Math.min(left, Math.max(most, list.scrollLeft));
}

function scroll(direction: 1 | -1): void {
  const list = listOfTabs();
  // Consecutive views overlap by a quarter.
  list?.scrollBy({ left: direction * list.clientWidth * 0.75, behavior: 'smooth' });
}
