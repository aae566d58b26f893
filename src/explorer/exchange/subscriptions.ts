/**
 * The active subscriptions, one per tab. GraphiQL stops an operation when another tab is selected, so subscriptions are
 * read here, and GraphiQL gets a reader of the newest result that may leave and return.
 */
import type { ExecutionResult } from 'graphql';
import { createChanges } from '../state.ts';
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

  /** The newest result and those that follow. Results that were not read in time are skipped. */
  results(): AsyncIterable<ExecutionResult> {
    let seen: ExecutionResult | undefined;
    let hasLeft = false;
    const iterator: AsyncIterator<ExecutionResult, undefined> = {
      next: async () => {
        while (!hasLeft && !this.#isOver && this.#newest === seen) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
        // Results must not be written into another tab.
        if (hasLeft || this.#newest === seen || tabInView() !== this.#tab)
          return { done: true, value: undefined };
        seen = this.#newest;
        return { done: false, value: seen! };
      },
      return: () => {
        hasLeft = true;
        this.#wake();
        // Stop was pressed unless another tab is in view by then.
        setTimeout(() => {
          if (tabInView() === this.#tab) this.stop();
        });
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    // GraphiQL calls `return` on a second iterator while `next` of the first is pending.
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
    noteTabs();
  }
}

const subscriptions = new Map<string, Subscription>();
const changes = createChanges();
let tabs: readonly string[] = [];

function noteTabs(): void {
  tabs = [...subscriptions.keys()];
  changes.notify();
}

export function startSubscription(
  results: AsyncIterable<ExecutionResult>,
  stopping: AbortController,
): AsyncIterable<ExecutionResult> {
  const subscription = new Subscription(results, stopping);
  subscriptions.set(tabInView(), subscription);
  noteTabs();
  return subscription.results();
}

export const resultsInView = (): AsyncIterable<ExecutionResult> | undefined =>
  subscriptions.get(tabInView())?.results();

export const stopSubscription = (tab: string): void => subscriptions.get(tab)?.stop();

export function stopClosed(open: readonly string[]): void {
  for (const [tab, subscription] of subscriptions) if (!open.includes(tab)) subscription.stop();
}

export const useSubscribedTabs = (): readonly string[] => changes.useValue(() => tabs);
