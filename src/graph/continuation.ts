/**
 * How to continue in another request when the call budget of this one is spent.
 *
 * The call that would exceed the budget is not made. Its field is null with an error that carries the
 * global id to ask for next, and for a list the cursor to ask from.
 */
import type { GraphQLError } from 'graphql';
import { RestBudgetError } from '../rest/client/errors.ts';

const CUT = 'UPSTREAM_BUDGET_EXCEEDED';

/** What to ask for in the next request. */
interface Continuation {
  /** The object that was not read, or the one whose list was cut; absent at the root. */
  readonly id?: string | undefined;
  /** The `after` to read the list from; null for its start. */
  readonly after?: string | null | undefined;
}

/** A field that was cut. A large answer has thousands, of which few are reported. */
export class CutError extends RestBudgetError {
  /** Evaluated when the error is reported. */
  readonly next: () => Continuation;

  constructor({ route }: RestBudgetError, next: () => Continuation) {
    super(route);
    this.next = next;
  }
}

/**
 * The error of a field that was cut, or the error itself when the budget is not what failed. What
 * was read for something else is asked for by that: an entry of a topic by the entry's id.
 */
export const cutAt = (error: unknown, next: () => Continuation): unknown =>
  error instanceof RestBudgetError ? new CutError(error, next) : error;

/** Every cut of an answer, with the path of its field. */
export const continuationsOf = (
  errors: readonly Pick<GraphQLError, 'path' | 'extensions'>[],
): (Continuation & { readonly path: readonly (string | number)[] })[] =>
  errors.flatMap(({ path = [], extensions }) => {
    if (extensions?.['code'] !== CUT) return [];
    // Written for a `CutError` and for nothing else; absent where nothing was to be read, as for a write.
    const next = extensions['continuation'] as Continuation | undefined;
    return [{ path, ...next }];
  });
