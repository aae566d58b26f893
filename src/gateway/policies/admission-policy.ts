/**
 * Policies of admission and of new documents; both respond with 503 if their queue is full.
 */
import type { ExecutionResult } from 'graphql';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import { hasKind } from '../../rest/call/errors.ts';
import type { Documents } from '../documents/documents.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import type { Operation } from '../operation/operation.ts';
import type { ExecuteNext, Policy } from '../policy.ts';
import type { Permit } from './admission.ts';
import { overloaded, type Admit } from './admit.ts';

/** Delays new documents until their turn to be parsed, validated and planned. */
export const newDocuments = (
  admit: Admit,
  documents: Documents,
  trusted: Pick<TrustedDocuments, 'has'> | undefined,
): Policy => ({
  onParams(operation) {
    const isKnown = ({ document, explain, params: { query } }: Operation): boolean =>
      // `x-explain: plan` makes a plan per request.
      explain !== 'plan' &&
      (document !== undefined || trusted?.has(query) === true || documents.isKnown(query));
    return isKnown(operation) ? undefined : admit.turn(operation, isKnown);
  },
});

export const admission = (admit: Admit): Policy => ({
  onExecute(operation, next) {
    const permit = admit.enter(operation);
    return permit instanceof Promise
      ? permit.then((had) => run(admit, operation, next, had))
      : run(admit, operation, next, permit);
  },
  onExecuteDone(_operation, result) {
    const waitMs = result.errors && shedMs(result);
    return waitMs === undefined ? undefined : { errors: [overloaded(waitMs)] };
  },
  onAnswered({ weighed, arrival: { permit }, bytes = 0 }) {
    if (permit) weighed?.bytes.learn(Math.max(bytes, permit.received));
  },
});

function run(
  admit: Admit,
  operation: Operation,
  next: ExecuteNext,
  permit: Permit,
): MaybePromise<ExecutionResult> {
  // Held until the response is sent.
  operation.arrival.permit = permit;
  if (operation.cancel.cancelled && operation.operationType === 'query') {
    return { errors: [overloaded(0)] }; // its caller has left
  }
  const excess = admit.refuse(operation);
  return excess ? { errors: [excess] } : next(operation);
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
