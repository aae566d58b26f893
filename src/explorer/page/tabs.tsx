/**
 * GraphiQL's tabs: each shows what was sent from it, and a subscription goes on when another is looked at.
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
  // With the change itself: what ends then has to know which tab is in view.
  useLayoutEffect(() => {
    const open = tabs.map((tab) => tab.id);
    showTab(id, open);
    endClosed(open);
  }, [id, tabs]);
  useEffect(() => {
    // GraphiQL would write the answer to the tab before into this one.
    stop();
    // Play shows the subscription that goes on here, whose Stop ends it.
    if (queryEditor && resultsInView()) run();
    // The place of a tab changes when one before it is closed: that is no reason to stop.
  }, [id, stop, run, queryEditor]);
  useEffect(() => {
    const tab = document.querySelectorAll<HTMLElement>('.graphiql-tab')[activeTabIndex];
    if (tab) bringIntoView(tab);
    // A tab grows when its document gets a name.
  }, [id, tabs[activeTabIndex]?.title]);
}

/** Not `scrollIntoView`: a tab that still slides to its place would be measured where it is, not where it will be. */
function bringIntoView(tab: HTMLElement): void {
  const list = tab.parentElement!;
  const left = tab.offsetLeft - (tab.offsetParent === list ? 0 : list.offsetLeft);
  const most = left + tab.offsetWidth - list.clientWidth;
  list.scrollLeft = Math.min(left, Math.max(most, list.scrollLeft));
}

/** Begins GraphiQL's own message for variables or headers that are not JSON. */
const NOT_SENT = '"Request not sent. ';

/** Shows the last answer of a tab that is entered: GraphiQL has the one that was in view, and none after a reload. */
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

/** Shows the headers that a tab had before a reload: GraphiQL keeps all of them, or none. */
function useKeptHeaders(): void {
  const { updateActiveTabValues } = useGraphiQLActions();
  const headerEditor = useGraphiQL((state) => state.headerEditor);
  const tabs = useGraphiQL((state) => state.tabs);
  const id = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.id ?? '');
  useEffect(() => {
    // An environment in use has filled it already.
    if (!headerEditor || headerEditor.getValue().trim()) return;
    const kept = takeHeaders(id);
    if (!kept) return;
    headerEditor.setValue(kept.headers);
    updateActiveTabValues({ headers: kept.headers });
    if (kept.left.length > 0)
      say(`Headers: a reload does not keep ${kept.left.join(', ')}: enter it again.`);
  }, [id, headerEditor, updateActiveTabValues]);
  useEffect(() => keepHeaders(tabs), [tabs]);
}

/**
 * GraphiQL's list of tabs holds buttons that close them, which a tablist may not: here it is a plain list, and says
 * where a subscription goes on.
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

/** On a phone the answer is below the query, out of sight when Play is pressed. */
function useAnswerInView(): void {
  const sentMs = useExchange()?.startedAtMs ?? 0;
  const newestMs = useRef(Date.now());
  useEffect(() => {
    if (sentMs <= newestMs.current) return; // of a tab that was chosen again, or before a reload
    newestMs.current = sentMs;
    if (isPhone()) document.querySelector('.graphiql-response')?.scrollIntoView();
  }, [sentMs]);
}
