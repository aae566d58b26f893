/**
 * A speculative prefetch: a read that starts before a field needs it, with its own call log. The call log of the request
 * has one entry for it, and gets its headers once a field uses it.
 */
import { Cancel } from '../../lib/cancel.ts';
import type { Call, Requester } from '../../rest/call/call.ts';
import { CallLog, type CallTrace, type OpenEntry } from '../../rest/call/call-log.ts';
import { isNotFound, type ReceiveRefusal } from '../../rest/call/errors.ts';
import type { ApiKey } from '../../rest/call/keys.ts';
import type { RequestDeadline } from '../../rest/call/deadlines.ts';
import type { RestClient } from '../../rest/client/client.ts';
import type { Route } from '../../v0/routes.ts';

export type Read = readonly [route: Route, path: string];

export class Prefetch {
  /** Whether it was rejected immediately, since it would have waited. */
  readonly isRejected: boolean;
  /** Whether it failed before a field needed it. */
  failed = false;
  readonly #from: Requester;
  readonly #log = new CallLog();
  readonly #cancel = new Cancel();
  readonly #response: Promise<unknown>;
  readonly #entry: OpenEntry | undefined;
  #asked: Call | undefined;

  /** @param first a read of the same request. */
  constructor(make: RestClient['makeCall'], [route, path]: Read, first: Call) {
    const { from, newerThan } = first;
    this.#from = from;
    this.#response = make({
      from: new ReadRequester(from, this.#log),
      route,
      path,
      body: null,
      origin: undefined,
      isOptional: false,
      priority: 'speculative',
      newerThan,
      cancel: this.#cancel,
    });
    // With a response cache it is sent later, if at all.
    this.isRejected = this.#log.entries.at(-1)?.source === 'unsent';
    if (!this.isRejected) this.#entry = from.callLog.begin(route, undefined, 'unsent', 1);
    this.#tell();
    this.#response.then(
      () => this.#tell(),
      (error: unknown) => {
        this.failed = !isNotFound(error);
        this.#tell();
      },
    );
  }

  cancel(): void {
    this.#cancel.cancel();
    this.#tell();
  }

  /** Returns it to a field. A failed one is repeated, since the backend may have recovered. */
  take(asked: Call, repeat: () => Promise<unknown>): Promise<unknown> {
    this.#asked = asked;
    this.#tell();
    const expose = (): void => {
      const { exposed } = this.#log;
      if (exposed) asked.from.callLog.expose([...exposed]);
    };
    return this.#response.then(
      (value) => {
        expose();
        return value;
      },
      (error: unknown) => {
        if (!isNotFound(error)) return repeat();
        expose();
        if (asked.isOptional) return null;
        throw error;
      },
    );
  }

  /** Copies its own log to its entry in the log of the request. */
  #tell(): void {
    const entry = this.#entry;
    if (!entry) return;
    const own = this.#log.entries.at(-1);
    entry.origin = this.#asked?.origin;
    entry.source = own?.source ?? 'unsent';
    entry.ahead = this.#asked ? 'used' : 'unused';
    // A cached response is logged as any other.
    if (this.#asked && own?.source === 'cached') entry.ahead = undefined;
    entry.span = own?.span;
    if (own?.endMs === undefined) return;
    this.#from.callLog.end(entry, own.status, own.failure, this.#log.beganMs + own.endMs);
  }
}

/**
 * The requester of a prefetch. A class, since V8 gives an object literal with a getter a hidden class per object, which
 * retains the request (Node 20: 6 kB per request).
 */
class ReadRequester implements Requester {
  readonly apiKey: string;
  readonly sharingKey: string;
  readonly headers: string[];
  readonly deadline: RequestDeadline;
  readonly callLog: CallLog;
  readonly trace: CallTrace | undefined;
  turn = 0;
  queuedCalls = 0;
  readonly #from: Requester;

  constructor(from: Requester, callLog: CallLog) {
    this.#from = from;
    this.apiKey = from.apiKey;
    this.sharingKey = from.sharingKey;
    this.headers = from.headers;
    this.deadline = from.deadline;
    this.callLog = callLog;
    this.trace = from.trace;
  }

  get key(): ApiKey {
    return this.#from.key; // may be stored meanwhile
  }

  receive(bytes: number): ReceiveRefusal | undefined {
    return this.#from.receive(bytes);
  }
}
