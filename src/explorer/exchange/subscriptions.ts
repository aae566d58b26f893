/**
 * The subscriptions that go on, one a tab.
 *
 * GraphiQL ends what a tab waits for when another is looked at. A subscription is read here instead, whether or not
 * somebody looks, and GraphiQL is given a reader of it that may leave and come again.
 */
import type { ExecutionResult } from 'graphql';
import { createChanges } from './changes.ts';
import { tabInView } from './exchange.ts';

class Subscription {
  readonly #tab = tabInView();
  readonly #stopping: AbortController;
  #newest: ExecutionResult | undefined;
  #isOver = false;
  #wake = (): void => {};

  constructor(results: AsyncIterable<ExecutionResult>, stopping: AbortController) {
    this.#stopping = stopping;
    void this.#read(results);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** The newest result and those that follow; one that was not read in time gives way to a newer one. */
  results(): AsyncIterable<ExecutionResult> {
    let seen: ExecutionResult | undefined;
    let hasLeft = false;
    const iterator: AsyncIterator<ExecutionResult, undefined> = {
      next: async () => {
        while (!hasLeft && !this.#isOver && this.#newest === seen) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
        // What comes when another tab is in view must not be written into that one.
        if (hasLeft || this.#newest === seen || tabInView() !== this.#tab)
          return { done: true, value: undefined };
        seen = this.#newest;
        return { done: false, value: seen! };
      },
      return: () => {
        hasLeft = true;
        this.#wake();
        // By then it is known whether another tab was chosen, or this one's Stop.
        setTimeout(() => {
          if (tabInView() === this.#tab) this.stop();
        });
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    // GraphiQL stops by an iterator of its own, while the first one still waits for a result.
    return { [Symbol.asyncIterator]: () => iterator };
  }

  async #read(results: AsyncIterable<ExecutionResult>): Promise<void> {
    for await (const result of results) {
      this.#newest = result;
      this.#wake();
    }
    this.#isOver = true;
    if (subscriptions.get(this.#tab) === this) subscriptions.delete(this.#tab);
    this.#wake();
    changes.notify();
  }
}

const subscriptions = new Map<string, Subscription>();
const changes = createChanges();

/** Begins one of the tab in view; answers its results. */
export function begin(
  results: AsyncIterable<ExecutionResult>,
  stopping: AbortController,
): AsyncIterable<ExecutionResult> {
  const subscription = new Subscription(results, stopping);
  subscriptions.set(tabInView(), subscription);
  changes.notify();
  return subscription.results();
}

/** The results of the one that goes on in the tab in view; undefined when none does. */
export const resultsInView = (): AsyncIterable<ExecutionResult> | undefined =>
  subscriptions.get(tabInView())?.results();

export const stopSubscription = (tab: string): void => subscriptions.get(tab)?.stop();

/** Ends those of tabs that were closed. */
export function endClosed(open: readonly string[]): void {
  for (const [tab, subscription] of subscriptions) if (!open.includes(tab)) subscription.stop();
}

/** The tabs in which one goes on, as text: equal for equal tabs. */
const tabsText = (): string => [...subscriptions.keys()].join(' ');

/** The ids of the tabs in which a subscription goes on. */
export function useSubscribedTabs(): readonly string[] {
  const text = changes.useValue(tabsText);
  return text ? text.split(' ') : [];
}
