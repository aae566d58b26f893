/**
 * Additions to GraphiQL's tabs: kept answers and headers, and subscriptions that continue in the background.
 */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import {
  answerOf,
  forgetExchange,
  keepAnswer,
  showTab,
  useExchange,
} from '../exchange/exchange.ts';
import { endClosed, resultsInView, useSubscribedTabs } from '../exchange/subscriptions.ts';
import { isPhone } from '../documents/phone.ts';
import { keepHeaders, takeHeaders } from '../documents/tab-headers.ts';
import { environmentInUse } from './environments.ts';
import { say } from './messages.ts';

export function Tabs() {
  useTabInView();
  useKeptAnswer();
  useKeptHeaders();
  useTabMarks();
  useAnswerInView();
  return null;
}

function useTabInView(): void {
  const { run, stop } = useGraphiQLActions();
  const tabs = useGraphiQL((state) => state.tabs);
  const activeTabIndex = useGraphiQL((state) => state.activeTabIndex);
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const id = tabs[activeTabIndex]?.id ?? '';
  // Before effects: whatever stops then must know which tab is in view.
  useLayoutEffect(() => {
    const open = tabs.map((tab) => tab.id);
    showTab(id, open);
    endClosed(open);
  }, [id, tabs]);
  useEffect(() => {
    // GraphiQL would write a pending answer of another tab into this one.
    stop();
    // Attach to the active subscription, so that Stop ends it.
    if (queryEditor && resultsInView()) run();
    // The index is no dependency: it changes when an earlier tab is closed.
  }, [id, stop, run, queryEditor]);
  useEffect(() => {
    const tab = document.querySelectorAll<HTMLElement>('.graphiql-tab')[activeTabIndex];
    if (!tab) return undefined;
    // The title and the mark of a subscription change the width of a tab, and arrows that of the list.
    const watching = new ResizeObserver(() => bringIntoView(tab));
    watching.observe(tab);
    watching.observe(tab.parentElement!);
    return () => watching.disconnect();
  }, [id, activeTabIndex]);
}

/** Uses layout offsets: `scrollIntoView` would measure a tab in the middle of its animation. */
function bringIntoView(tab: HTMLElement): void {
  const list = tab.parentElement!;
  const left = tab.offsetLeft - (tab.offsetParent === list ? 0 : list.offsetLeft);
  const most = left + tab.offsetWidth - list.clientWidth;
  list.scrollLeft = Math.min(left, Math.max(most, list.scrollLeft));
}

/** Start of GraphiQL's error for variables or headers that are not JSON. */
const NOT_SENT = '"Request not sent. ';

/** Restores the last answer when a tab is entered: GraphiQL has the one that was in view, and none after a reload. */
function useKeptAnswer(): void {
  const { updateActiveTabValues } = useGraphiQLActions();
  const responseEditor = useGraphiQL((state) => state.responseEditor);
  const id = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.id ?? '');
  const response = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.response);
  useEffect(() => {
    if (response?.includes(NOT_SENT)) forgetExchange();
    else if (response) keepAnswer(response);
  }, [response]);
  useEffect(() => {
    const answer = answerOf(id);
    if (!responseEditor || !answer || responseEditor.getValue() === answer) return;
    responseEditor.setValue(answer);
    updateActiveTabValues({ response: answer });
  }, [id, responseEditor, updateActiveTabValues]);
}

/**
 * Restores the headers of tabs after a reload, since GraphiQL persists all headers or none, and puts those of the
 * environment in use into other new tabs.
 */
function useKeptHeaders(): void {
  const { updateActiveTabValues } = useGraphiQLActions();
  const headerEditor = useGraphiQL((state) => state.headerEditor);
  const tabs = useGraphiQL((state) => state.tabs);
  const id = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.id ?? '');
  const seen = useRef(new Set<string>());
  useEffect(() => {
    if (!headerEditor) return;
    const environment = seen.current.has(id) ? undefined : environmentInUse();
    seen.current.add(id);
    if (headerEditor.getValue().trim()) return;
    const kept = takeHeaders(id) ?? (environment && { headers: environment.headers, left: [] });
    if (!kept) return;
    headerEditor.setValue(kept.headers);
    updateActiveTabValues({ headers: kept.headers });
    if (kept.left.length > 0)
      say(`Credentials are not kept on reload. Enter ${kept.left.join(', ')} again under Headers.`);
  }, [id, headerEditor, updateActiveTabValues]);
  useEffect(() => keepHeaders(tabs), [tabs]);
}

/**
 * Makes GraphiQL's tablist a plain list, since it contains close buttons, and marks tabs with an active subscription.
 */
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

/** Scrolls to the answer on phones, where it is below the query. */
function useAnswerInView(): void {
  const sentMs = useExchange()?.startedAtMs ?? 0;
  const newestMs = useRef(Date.now());
  useEffect(() => {
    if (sentMs <= newestMs.current) return; // Exchanges of other tabs, or from before a reload.
    newestMs.current = sentMs;
    if (isPhone()) document.querySelector('.graphiql-response')?.scrollIntoView();
  }, [sentMs]);
}
