/**
 * Waiting before execution: the turn of a new document, and the permit of admission.
 *
 * Operations rejected by earlier policies take no permit.
 */
import { GraphQLError } from 'graphql';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Context } from '../../graph/context.ts';
import { refuseCost } from '../../plan/cost.ts';
import type { Budget } from '../../plan/planner.ts';
import { weightOfBytes, type Weighed } from '../../plan/weight.ts';
import type { Operation } from '../operation/operation.ts';
import { StateKey } from '../operation/state.ts';
import { Admission, type Permit } from './admission.ts';
import { argsOf } from './execution.ts';
import { NewDocuments } from './new-documents.ts';

/** Maximum `Retry-After`, in seconds. */
const MAX_RETRY_AFTER_S = 60;

/** `Retry-After` if the queue is full, in milliseconds. */
const QUEUE_FULL_WAIT_MS = 1_000;

/** Key whose share an operation uses; empty for keys not yet accepted by the backend. Never shown. */
const SHARE = new StateKey<string>();

/** Whether an operation has had, or waits for, a turn to parse its document. */
const HAS_TURN = new StateKey<boolean>();

interface AdmitOptions {
  /** Requests without an accepted key share one key. */
  readonly isAccepted: (apiKey: string) => boolean;
  readonly budget: Budget;
}

export class Admit {
  readonly #isAccepted: AdmitOptions['isAccepted'];
  readonly #budget: Budget;
  readonly #admission: Admission;
  readonly #newDocuments: NewDocuments;

  constructor({ isAccepted, budget }: AdmitOptions) {
    this.#isAccepted = isAccepted;
    this.#budget = budget;
    this.#admission = new Admission({ onAdmitted: () => this.#newDocuments.wake() });
    this.#newDocuments = new NewDocuments({
      mayHave: (key) => !this.#admission.isWaiting(key),
    });
  }

  /**
   * Waits for the turn of a new document.
   *
   * @param isKnown whether another operation has made it known meanwhile.
   * @returns undefined if it need not wait.
   * @throws 503 when too many wait.
   */
  turn(
    operation: Operation,
    isKnown: (operation: Operation) => boolean,
  ): Promise<void> | undefined {
    // One turn per document: parsed documents would otherwise pile up.
    if (HAS_TURN.get(operation)) return undefined;
    HAS_TURN.set(operation, true);
    const { cancel } = operation;
    // Operations of callers who have disconnected take no turn.
    const document = {
      length: operation.params.query.length,
      isKnown: () => cancel.cancelled || isKnown(operation),
    };
    return this.#newDocuments.turn(this.#keyOf(operation), document)?.then((hasTurn) => {
      if (!hasTurn || cancel.cancelled) throw overloaded(QUEUE_FULL_WAIT_MS);
    });
  }

  /**
   * Returns the weight of an operation, or why it is rejected. Waits if the operation has to be planned.
   *
   * @throws 503 when too many wait.
   */
  weigh(operation: Operation): MaybePromise<Weighed> {
    const { schema, variables } = operation;
    const context = operation.contextValue as Context;
    const { weights, node } = operation.definition!; // set by `choose`
    const known = weights.find(variables, context);
    if (known) return known;
    const find = (): Weighed | undefined => weights.find(variables, context);
    const { syntax, least } = operation.document!;
    const given = { schema, document: syntax, operation: node, least, variables };
    const learn = (): Weighed => {
      const startMs = performance.now();
      const learnt = find() ?? weights.learn(given, context, this.#budget);
      operation.endPhase('plan', startMs);
      return learnt;
    };
    return this.turn(operation, () => find() !== undefined)?.then(learn) ?? learn();
  }

  /**
   * Returns a permit for an operation.
   *
   * @throws 503 when too many wait.
   */
  enter(operation: Operation): MaybePromise<Permit> {
    const { weight = 1, bytes } = operation.weighed ?? {};
    // While it waits, others show how large its response is.
    const permit = this.#admission.enter(this.#keyOf(operation), () =>
      Math.max(weight, weightOfBytes(bytes?.bytes ?? 0)),
    );
    return permit instanceof Promise ? permit.then(orRefused) : permit;
  }

  /** Rejects an operation whose cost depends on its variables, if they exceed the budget. */
  refuse(operation: Operation): GraphQLError | undefined {
    return operation.weighed?.isWithin === false
      ? refuseCost(argsOf(operation), operation.contextValue as Context, this.#budget)
      : undefined;
  }

  /** Constant per operation, although the backend may accept its key while it waits. */
  #keyOf(operation: Operation): string {
    const known = SHARE.get(operation);
    if (known !== undefined) return known;
    const { callerKey } = operation;
    const share = callerKey !== undefined && this.#isAccepted(callerKey) ? callerKey : '';
    SHARE.set(operation, share);
    return share;
  }
}

function orRefused(permit: Permit | undefined): Permit {
  if (!permit) throw overloaded(QUEUE_FULL_WAIT_MS);
  return permit;
}

/**
 * 503 with `Retry-After`, for requests of which nothing was executed. Load balancers and client libraries understand it
 * without reading the body.
 */
export function overloaded(waitMs: number): GraphQLError {
  const seconds = Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(waitMs / 1_000)));
  return new GraphQLError(`Too many calls are waiting: come back in ${seconds} s.`, {
    extensions: {
      code: 'UPSTREAM_UNAVAILABLE',
      retryAfterMs: seconds * 1_000,
      http: { status: 503, headers: { 'retry-after': String(seconds) } },
    },
  });
}
