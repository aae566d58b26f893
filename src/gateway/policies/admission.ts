/**
 * Limits of callers: REST calls per request (`budget`), weight and bytes in flight per API key (`admission`), and
 * time for new documents (`newDocuments`).
 *
 * The weight of an operation estimates its use of the event loop and of memory. A key at its limit waits for its own
 * operations, and waiting keys are admitted round-robin. A full queue rejects, since late responses are wasted work.
 * Estimates may be too low, so the bytes that operations receive and have not sent are limited too.
 */
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import { RoundRobinQueue } from '../../lib/round-robin-queue.ts';
import { rejectCost } from '../../plan/cost.ts';
import type { Budget } from '../../plan/planner.ts';
import { BYTES_PER_UNIT, weightOfBytes, type Weighed } from '../../plan/weight.ts';
import { hasKind, type ReceiveRefusal } from '../../rest/call/errors.ts';
import { IDLE_KEYS } from '../../rest/call/keys.ts';
import type { Upstream } from '../../rest/upstream.ts';
import type { Documents } from '../documents/documents.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import { StateKey, type Operation, type ReadyOperation } from '../operation/operation.ts';
import type { Next, Policy } from '../policy.ts';
import { NewDocuments } from './new-documents.ts';

export interface AdmissionLimits {
  /** Maximum weight in flight of all keys. @default 512 */
  readonly inFlight?: number;
  /** Maximum weight in flight of one key. @default 192 */
  readonly perKey?: number;
  /** Maximum number of waiting operations; above it, the key with the most loses its latest. @default 1_024 */
  readonly waiting?: number;
  /** Whether connections can carry the calls of an operation. @default always */
  readonly limiter?: Upstream['limiter'];
  /** Called when waiting operations are admitted. */
  readonly onAdmitted?: () => void;
}

/**
 * Default limits. All keys together: some 200 ms of work, and 100 MB. A key: more than there are connections, since
 * waiting operations share calls.
 */
export const ADMISSION = { inFlight: 512, perKey: 192, waiting: 1_024 };

/** Maximum `Retry-After`, in seconds. */
const MAX_RETRY_AFTER_S = 60;

/** `Retry-After` if a queue is full, in milliseconds. */
const QUEUE_FULL_WAIT_MS = 1_000;

interface CallerLimitsOptions {
  /** Requests without a key that the backend has accepted share one key. */
  readonly upstream: Pick<Upstream, 'isAccepted' | 'limiter'>;
  readonly budget: Budget;
  readonly documents: Pick<Documents, 'isKnown'>;
  readonly trusted: Pick<TrustedDocuments, 'has'> | undefined;
}

interface CallerState {
  /** Empty for keys not yet accepted by the backend. Never shown. */
  readonly key: string;
  /** Whether the operation has had its turn for a new document, or waits for it. */
  hasTurn: boolean;
}

const STATE = new StateKey<CallerState>();

/** Weight of an operation, and whether it is within the budget for any variables. */
export const WEIGHED = new StateKey<Weighed>();

export class CallerLimits {
  readonly #options: CallerLimitsOptions;
  readonly #admission: Admission;
  readonly #newDocuments = new NewDocuments({ mayHave: (key) => !this.#admission.isWaiting(key) });

  constructor(options: CallerLimitsOptions) {
    this.#options = options;
    const { limiter } = options.upstream;
    this.#admission = new Admission({ limiter, onAdmitted: () => this.#newDocuments.wake() });
  }

  /** Delays new documents until their turn to be parsed, validated and planned. */
  readonly newDocuments: Policy = {
    onParams: (operation, { query }) => {
      const { documents, trusted } = this.#options;
      const isKnown = (): boolean => {
        // `x-explain: plan` makes a plan per request.
        if (operation.explain === 'plan') return false;
        return (
          operation.document !== undefined ||
          trusted?.has(query) === true ||
          documents.isKnown(query)
        );
      };
      return isKnown() ? undefined : this.#turn(operation, query.length, isKnown);
    },
  };

  /** Weighs operations, and rejects those that exceed the budget for any variables. */
  readonly budget: Policy = {
    onExecute: (operation, next) => this.#weighFirst(operation, next),
    onSubscribe: (operation, next) => this.#weighFirst(operation, next),
  };

  /** Limits the weight and bytes in flight; responds with 503 if too many operations or calls wait. */
  readonly admission: Policy = {
    onExecute: (operation, next) => {
      const { record } = operation;
      const begin = (permit: Permit): MaybePromise<ExecutionResult> => {
        // Released when the response is sent.
        record.arrival.permit = permit;
        if (record.cancel.cancelled && record.operationType === 'query') {
          return { errors: [overloaded(0)] }; // its caller has left
        }
        const excess =
          WEIGHED.get(record)?.isWithin === false &&
          rejectCost(operation, operation.contextValue, this.#options.budget);
        return excess ? { errors: [excess] } : next(operation);
      };
      const permit = this.enter(record);
      return permit instanceof Promise ? permit.then(begin) : begin(permit);
    },
    onExecuteDone(_operation, result) {
      const waitMs = result.errors && shedMs(result);
      return waitMs === undefined ? undefined : { errors: [overloaded(waitMs)] };
    },
    onAnswered: (operation) => {
      const { permit } = operation.arrival;
      if (permit) this.learn(operation, Math.max(operation.bytes ?? 0, permit.received));
    },
  };

  /**
   * Returns a permit for an operation, or for an event of a subscription.
   *
   * @throws 503 if too many wait.
   */
  enter(operation: Operation): MaybePromise<Permit> {
    const { weight = 1, bytes, calls = 1 } = WEIGHED.get(operation) ?? {};
    const { cancel } = operation;
    // While it waits, others show how large its response is.
    const weightNow = (): number => Math.max(weight, weightOfBytes(bytes?.bytes ?? 0));
    // Operations of callers who have disconnected make no calls.
    const callsNow = (): number => (cancel.cancelled ? 0 : calls);
    const permit = this.#admission.enter(this.#stateOf(operation).key, weightNow, callsNow);
    return permit instanceof Promise
      ? permit.then((granted) => {
          if (!granted) throw overloaded(QUEUE_FULL_WAIT_MS);
          return granted;
        })
      : permit;
  }

  /** Improves the estimate of the bytes that an operation returns. */
  learn(operation: Operation, bytes: number): void {
    WEIGHED.get(operation)?.bytes.learn(bytes);
  }

  #weighFirst<Result>(
    operation: ReadyOperation,
    next: Next<Result>,
  ): MaybePromise<Result | ExecutionResult> {
    const begin = (weighed: Weighed): MaybePromise<Result | ExecutionResult> => {
      if (weighed.rejection) return { errors: [weighed.rejection] };
      WEIGHED.set(operation.record, weighed);
      return next(operation);
    };
    const weighed = this.#weigh(operation);
    return weighed instanceof Promise ? weighed.then(begin) : begin(weighed);
  }

  /** @throws 503 if the operation has to be planned, and too many wait for that. */
  #weigh(operation: ReadyOperation): MaybePromise<Weighed> {
    const { record, schema, variableValues: variables, contextValue: context } = operation;
    const { weights, node, document } = operation.definition;
    const find = (): Weighed | undefined => weights.find(variables, context);
    const plan = (): Weighed => {
      const startMs = performance.now();
      const { syntax, least } = document;
      const given = { schema, document: syntax, operation: node, least, variables };
      const weighed = find() ?? weights.learn(given, context, this.#options.budget);
      record.endPhase('plan', startMs);
      return weighed;
    };
    const isKnown = (): boolean => find() !== undefined;
    return find() ?? this.#turn(record, document.text.length, isKnown)?.then(plan) ?? plan();
  }

  /**
   * Waits for the turn of a new document.
   *
   * @param length of its text.
   * @param isKnown whether another operation has parsed or planned it in the meantime.
   * @returns undefined if it need not wait.
   * @throws 503 if too many wait.
   */
  #turn(operation: Operation, length: number, isKnown: () => boolean): Promise<void> | undefined {
    const state = this.#stateOf(operation);
    // One turn per document: parsed documents would otherwise pile up.
    if (state.hasTurn) return undefined;
    state.hasTurn = true;
    const { cancel } = operation;
    // Operations of callers who have disconnected take no turn.
    const document = { length, isKnown: () => cancel.cancelled || isKnown() };
    return this.#newDocuments.turn(state.key, document)?.then((hasTurn) => {
      if (!hasTurn || cancel.cancelled) throw overloaded(QUEUE_FULL_WAIT_MS);
    });
  }

  /** Constant per operation, although the backend may accept its key while it waits. */
  #stateOf(operation: Operation): CallerState {
    let state = STATE.get(operation);
    if (!state) {
      const { callerKey } = operation;
      const isAccepted = callerKey !== undefined && this.#options.upstream.isAccepted(callerKey);
      STATE.set(operation, (state = { key: isAccepted ? callerKey : '', hasTurn: false }));
    }
    return state;
  }
}

/** Returns the time to wait, in milliseconds, if there is no data because too many calls wait; undefined otherwise. */
function shedMs({ data, errors = [] }: ExecutionResult): number | undefined {
  for (const name in data) if (data[name] !== null) return undefined;
  let waitMs: number | undefined;
  for (const { originalError } of errors) {
    if (!hasKind(originalError, 'overloaded')) return undefined;
    waitMs = Math.max(waitMs ?? 0, originalError.retryAfterMs ?? 0);
  }
  return waitMs;
}

/**
 * 503 with `Retry-After`, for requests of which nothing was executed. Load balancers and client libraries understand it
 * without reading the body.
 */
function overloaded(waitMs: number): GraphQLError {
  const seconds = Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(waitMs / 1_000)));
  return new GraphQLError(`The gateway is overloaded. Retry after ${seconds} s.`, {
    extensions: {
      code: 'UPSTREAM_UNAVAILABLE',
      retryAfterMs: seconds * 1_000,
      http: { status: 503, headers: { 'retry-after': String(seconds) } },
    },
  });
}

/** What a key has in flight. */
class Share {
  readonly key: string;
  weight = 0;
  /** Received by operations, or unsent. */
  bytes = 0;
  /** Permits of unsent responses, oldest first. */
  readonly unsent: Permit[] = [];

  constructor(key: string) {
    this.key = key;
  }
}

/** Permission of one operation to be in flight. */
export class Permit {
  /** Bytes that the backend returned, with rejected ones. */
  received = 0;
  readonly #admission: Admission;
  readonly #share: Share;
  /** Weight in its key's share; 0 once it is released. */
  #weight: number;
  /** Weight in the total. */
  #ofAll: number;
  /** Bytes received, then those of the unsent response. */
  #bytes = 0;
  #onCut: (() => void) | undefined;

  /** Created by `Admission`. */
  constructor(admission: Admission, share: Share, weight: number) {
    this.#admission = admission;
    this.#share = share;
    this.#weight = weight;
    this.#ofAll = weight;
  }

  /** Counts bytes of a backend response, and returns why they may not be received. */
  receive(bytes: number): ReceiveRefusal | undefined {
    if (this.#ofAll === 0) return undefined;
    this.received += bytes;
    const refusal = this.#admission.refusalOf(this.#share, bytes, this.#bytes);
    if (!refusal) this.#change(this.#weight, this.#ofAll, this.#bytes + bytes);
    return refusal;
  }

  /**
   * Execution has ended: reduces the weight to that of the unsent response, which counts for its key but not in the
   * total.
   *
   * @param onCut ends the wait for the response to be sent, if other responses need its bytes.
   */
  holdResponse(bytes: number, onCut: () => void): void {
    if (this.#weight === 0) return;
    this.#onCut = onCut;
    this.#change(weightOfBytes(bytes), 0, bytes);
    this.#share.unsent.push(this);
    this.#admission.cutUnsent(0);
  }

  /** Idempotent. */
  release(): void {
    if (this.#weight === 0) return;
    const { unsent } = this.#share;
    const index = unsent.indexOf(this);
    if (index >= 0) unsent.splice(index, 1);
    this.#change(0, 0, 0);
  }

  /** Drops the unsent response. */
  cut(): void {
    this.release();
    this.#onCut?.();
  }

  #change(weight: number, ofAll: number, bytes: number): void {
    const share = this.#share;
    const isLess = weight < this.#weight || ofAll < this.#ofAll;
    share.weight += weight - this.#weight;
    share.bytes += bytes - this.#bytes;
    this.#admission.change(share, ofAll - this.#ofAll, bytes - this.#bytes, isLess);
    this.#weight = weight;
    this.#ofAll = ofAll;
    this.#bytes = bytes;
  }
}

interface WaitingOperation {
  readonly weight: () => number;
  readonly calls: () => number;
  /** Called once; with undefined if the operation is rejected. */
  readonly end: (permit: Permit | undefined) => void;
}

const none = (): number => 0;

/** Limits the weight and bytes of operations in flight, per key and in total. */
export class Admission {
  readonly #limits: AdmissionLimits & typeof ADMISSION;
  readonly #queue: RoundRobinQueue<WaitingOperation>;
  readonly #shares = new Map<string, Share>();
  #active = 0;
  #bytes = 0;
  #isScheduled = false;
  /** Whether the next operation waits for the total limit; lighter ones do not overtake it. */
  #isFull = false;

  constructor(limits: AdmissionLimits = {}) {
    this.#limits = { ...ADMISSION, ...limits };
    this.#queue = new RoundRobinQueue(this.#limits.waiting);
  }

  /** Weight in flight, without unsent responses. */
  get active(): number {
    return this.#active;
  }

  /** Number of waiting operations. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether operations of a key wait. */
  isWaiting(key: string): boolean {
    return this.#queue.sizeOf(key) > 0;
  }

  /**
   * Returns a permit, immediately or when there is room; undefined if too many operations wait. An operation above the
   * limit of a key is admitted when the key has nothing else in flight.
   *
   * @param calls number of REST calls that the operation is expected to make.
   */
  enter(key: string, weightNow: () => number, calls = none): Permit | Promise<Permit | undefined> {
    // A larger weight would wait for all others, and block those behind it.
    const weight = (): number => Math.min(weightNow(), this.#limits.perKey);
    if (!this.#isFull && this.#queue.sizeOf(key) === 0) {
      const now = weight();
      if (this.#keyHasRoom(key, now, calls()) && this.#hasRoom(now)) return this.#begin(key, now);
    }
    return new Promise((end) => {
      this.#queue.add(key, { weight, calls, end })?.end(undefined);
    });
  }

  /** Called by permits. Returns why an operation may not receive bytes. @param held those that it has. */
  refusalOf(share: Share, bytes: number, held: number): ReceiveRefusal | undefined {
    const ofKey = this.#limits.perKey * BYTES_PER_UNIT;
    if (held + bytes > ofKey) return 'budget';
    if (share.bytes + bytes > ofKey) return 'overloaded';
    return this.cutUnsent(bytes) ? undefined : 'overloaded';
  }

  /**
   * Called by permits. Makes room for bytes in the total: as long as they do not fit, the key with the most bytes loses
   * its oldest unsent response. Otherwise a few keys that read nothing would stop the others.
   *
   * @returns whether there is room.
   */
  cutUnsent(bytes: number): boolean {
    while (this.#bytes + bytes > this.#limits.inFlight * BYTES_PER_UNIT) {
      let most: Share | undefined;
      for (const share of this.#shares.values()) {
        if (share.unsent.length > 0 && share.bytes > (most?.bytes ?? 0)) most = share;
      }
      const [oldest] = most?.unsent ?? [];
      if (!oldest) return false;
      oldest.cut();
    }
    return true;
  }

  /** Called by permits when their share has changed. */
  change({ key, weight }: Share, moreOfAll: number, moreBytes: number, isLess: boolean): void {
    if (weight === 0 && this.#shares.size > IDLE_KEYS) this.#shares.delete(key);
    this.#active += moreOfAll;
    this.#bytes += moreBytes;
    if (!isLess || this.#queue.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // Deferred: operations without backend calls would otherwise follow each other without letting the event loop read
    // requests.
    setImmediate(() => this.#admitWaiting());
  }

  /** @param begun calls of operations that were admitted in the same tick. */
  #keyHasRoom(key: string, weight: number, calls: number, begun = 0): boolean {
    const inFlight = this.#shares.get(key)?.weight ?? 0;
    const { perKey, limiter } = this.#limits;
    if (inFlight > 0 && inFlight + weight > perKey) return false;
    if (calls === 0 || !limiter || limiter.mayBegin(key, begun)) return true;
    limiter.whenRoom(this.#wake);
    return false;
  }

  #hasRoom(weight: number): boolean {
    return this.#active === 0 || this.#active + weight <= this.#limits.inFlight;
  }

  #begin(key: string, weight: number): Permit {
    this.#active += weight;
    let share = this.#shares.get(key);
    if (!share) this.#shares.set(key, (share = new Share(key)));
    share.weight += weight;
    return new Permit(this, share, weight);
  }

  readonly #wake = (): void => this.#admitWaiting();

  #admitWaiting(): void {
    this.#isScheduled = false;
    this.#isFull = false;
    let begun = 0;
    for (;;) {
      let permit: Permit | undefined;
      const next = this.#queue.take(({ weight, calls }, key) => {
        const now = weight();
        if (this.#isFull || !this.#keyHasRoom(key, now, calls(), begun)) return false;
        this.#isFull = !this.#hasRoom(now);
        if (!this.#isFull) permit = this.#begin(key, now);
        return !this.#isFull;
      });
      if (!next) break;
      begun += next.calls();
      next.end(permit);
    }
    this.#limits.onAdmitted?.();
  }
}
