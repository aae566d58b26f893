/**
 * A run of a query: notes what its fields read after the first round, begins what the last run has read there, and
 * hands it to the fields that ask it.
 */
import { isNotFound } from '../../rest/call/errors.ts';
import type { ReadAhead, RestClient } from '../../rest/client/client.ts';
import type { Route } from '../../v0/routes.ts';
import type { Screen } from './remembered-reads.ts';

/** A read as a field asks it. */
type AskedRead = Parameters<NonNullable<RestClient['aroundRead']>>[0];

interface BegunRead extends ReadAhead {
  /** Failure before a field has asked it; undefined for none. */
  failure: Error | undefined;
}

export class Run {
  readonly apiKey: string | undefined;
  /** Reads after the first round: routes by path. */
  readonly later = new Map<string, Route>();
  readonly #rest: RestClient;
  readonly #find: () => Screen | undefined;
  /** Equal for callers that may share responses; undefined before the first read. */
  #sharingKey: string | undefined;
  #isPastFirstRound = false;
  #screen: Screen | undefined;
  /** Reads that were asked before others began ahead; undefined if none will. */
  #asked: Set<string> | undefined;
  readonly #begun = new Map<string, BegunRead>();
  #isOver = false;

  /** @param find finds what the last run has read; called at the first read. */
  constructor(apiKey: string | undefined, rest: RestClient, find: () => Screen | undefined) {
    this.apiKey = apiKey;
    this.#rest = rest;
    this.#find = find;
  }

  /** Undefined if it has read nothing. */
  get sharingKey(): string | undefined {
    return this.#sharingKey;
  }

  /** Reads that began ahead, by whether a field has asked them. */
  get counts(): { readonly used: number; readonly unused: number } {
    let [used, unused] = [0, 0];
    for (const { ahead, source } of this.#rest.callLog.entries) {
      if (!ahead || source !== 'sent') continue;
      if (ahead === 'used') used += 1;
      else unused += 1;
    }
    return { used, unused };
  }

  /** Answers a read of a field. @param next makes it. */
  read(asked: AskedRead, next: () => Promise<unknown>): Promise<unknown> {
    const { path, route, from } = asked;
    if (this.#sharingKey === undefined) {
      this.#sharingKey = from.sharingKey;
      this.#start();
    }
    this.#isPastFirstRound ||= hasAnswer(this.#rest);
    if (this.#isPastFirstRound) this.later.set(path, route);
    this.#asked?.add(path);
    const begun = this.#begun.get(path);
    if (!begun) return next();
    this.#begun.delete(path);
    return take(begun, asked, next);
  }

  /** Cancels what no field has asked, and begins nothing more. */
  end(): void {
    this.#isOver = true;
    this.forget();
    if (this.#screen) this.#screen.isRunning = false;
    this.#screen = undefined;
  }

  /** Cancels what no field has asked. */
  forget(): void {
    for (const { call } of this.#begun.values()) call.onEnd('cancelled');
    this.#begun.clear();
  }

  #start(): void {
    const screen = this.#find();
    if (!screen || screen.isRunning) return;
    this.#screen = screen;
    screen.isRunning = true;
    this.#asked = new Set();
    // Behind all reads that are asked in this turn of the event loop.
    setImmediate(() => this.#begin(screen));
  }

  #begin({ reads }: Screen): void {
    const asked = this.#asked!;
    this.#asked = undefined;
    if (this.#isOver) return;
    for (const [path, route] of reads) {
      if (asked.has(path)) continue;
      let read: ReadAhead;
      try {
        read = this.#rest.beginAhead(route, path);
      } catch {
        return; // the deadline has passed, or the caller has disconnected
      }
      const begun: BegunRead = { ...read, failure: undefined };
      begun.answer.catch((error: Error) => (begun.failure = error));
      // It would have to wait, as would the others.
      if (begun.call.isSettled) return;
      this.#begun.set(path, begun);
    }
  }
}

/** Whether a read of the request has ended. */
const hasAnswer = ({ callLog }: RestClient): boolean =>
  callLog.entries.some(({ ahead, endMs }) => !ahead && endMs !== undefined);

/**
 * Takes the answer of a read that began ahead. One that fails is made again: it had one attempt, and the backend may
 * have failed for a moment that the field would not have met.
 */
async function take(
  { call, answer, failure }: BegunRead,
  { origin, isOptional, from }: AskedRead,
  next: () => Promise<unknown>,
): Promise<unknown> {
  if (failure && !isNotFound(failure)) return next();
  call.ahead = 'used';
  call.origin = origin;
  try {
    const value = await answer;
    if (call.exposed) from.callLog.expose(call.exposed);
    return value;
  } catch (error) {
    if (!isNotFound(error)) return next();
    if (call.exposed) from.callLog.expose(call.exposed);
    if (isOptional) return null;
    throw error;
  }
}
