/**
 * What an operation waits for before it is executed: the turn of a document that is not known yet, and its share of
 * what is under way.
 *
 * Whatever was refused before, by its key or its parameters, takes no permit.
 */
import { GraphQLError } from 'graphql';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Context } from '../../graph/context.ts';
import { refuseCost } from '../../plan/cost.ts';
import type { Budget } from '../../plan/planner.ts';
import type { Weighed } from '../../plan/weight.ts';
import type { Operation } from '../operation/operation.ts';
import { Admission, type Permit } from './admission.ts';
import { argsOf } from './execution.ts';
import { NewDocuments } from './new-documents.ts';

/** The longest wait that a refusal asks for, in seconds. */
const MAX_RETRY_AFTER_S = 60;

/** `Retry-After` where too many operations wait, in milliseconds. */
const QUEUE_FULL_WAIT_MS = 1_000;

interface AdmitOptions {
  /** Requests without a key, and with keys that the backend has not accepted yet, are of one key. */
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
   * Waits until a document that is not known may be worked at.
   *
   * @param isKnown whether it has become known meanwhile.
   * @returns undefined where it may be at once.
   * @throws 503 when too many wait.
   */
  turn(
    operation: Operation,
    isKnown: (operation: Operation) => boolean,
  ): Promise<void> | undefined {
    // What is found out of one document is found out in one turn: parsed ones would pile up otherwise.
    if (operation.hasTurn) return undefined;
    operation.hasTurn = true;
    const { cancel } = operation;
    // A caller who has left while it waited takes no turn, and nothing is begun for it.
    const isOver = (): boolean => cancel.cancelled || isKnown(operation);
    return this.#newDocuments.turn(this.#keyOf(operation), isOver)?.then((hasTurn) => {
      if (!hasTurn || cancel.cancelled) throw overloaded(QUEUE_FULL_WAIT_MS);
    });
  }

  /**
   * What an operation weighs, or why it is refused; waits where it has to be planned first.
   *
   * @throws 503 when too many wait.
   */
  weigh(operation: Operation): MaybePromise<Weighed> {
    const { schema, variables, trace } = operation;
    const context = operation.contextValue as Context;
    const { weights, node } = operation.definition!; // chosen by now
    const known = weights.find(variables, context);
    if (known) return known;
    const find = (): Weighed | undefined => weights.find(variables, context);
    const { syntax, least } = operation.document!;
    const given = { schema, document: syntax, operation: node, least, variables };
    const learn = (): Weighed => {
      const startMs = trace ? performance.now() : 0;
      const learnt = find() ?? weights.learn(given, context, this.#budget);
      trace?.phases.push({ name: 'plan', startMs, endMs: performance.now() });
      return learnt;
    };
    return this.turn(operation, () => find() !== undefined)?.then(learn) ?? learn();
  }

  /**
   * A permit for an operation.
   *
   * @throws 503 when too many wait.
   */
  enter(operation: Operation, weight: number): MaybePromise<Permit> {
    const permit = this.#admission.enter(this.#keyOf(operation), weight);
    return permit instanceof Promise ? permit.then(orRefused) : permit;
  }

  /** Refuses an operation by the values of its variables, where they decide. */
  refuse(operation: Operation): GraphQLError | undefined {
    return operation.weighed?.isWithin === false
      ? refuseCost(argsOf(operation), operation.contextValue as Context, this.#budget)
      : undefined;
  }

  /** The same for as long as an operation lasts: while it waits, the backend may accept its key. */
  #keyOf(operation: Operation): string {
    const { callerKey } = operation;
    return (operation.share ??=
      callerKey !== undefined && this.#isAccepted(callerKey) ? callerKey : '');
  }
}

function orRefused(permit: Permit | undefined): Permit {
  if (!permit) throw overloaded(QUEUE_FULL_WAIT_MS);
  return permit;
}

/**
 * 503 and `Retry-After`, which load balancers and clients' libraries understand without reading the
 * body: for a request of which nothing was done.
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
