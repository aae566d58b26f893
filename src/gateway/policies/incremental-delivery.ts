/**
 * Incremental delivery: responses of several parts, in the caller's format.
 *
 * The last part contains the total cost and the continuations.
 */
import type { GraphQLError } from 'graphql';
import type { IncrementalResult } from '../../execution/incremental/incremental-executor.ts';
import type { DeliveredPayload, PendingResult } from '../../execution/incremental/delivery.ts';
import { continuationsOf } from '../../graph/errors.ts';
import type { Operation } from '../operation/operation.ts';
import { translateResult, type Translate } from '../operation/error-translation.ts';
import { ResultParts, type ResultPart } from '../operation/result-parts.ts';
import { costExtensions, type ExplainAudience } from './explain.ts';
import type { Policy } from '../policy.ts';
import type { Budget } from '../../plan/planner.ts';
import type { IncrementalFormat } from '../operation/negotiation.ts';

interface IncrementalOptions {
  readonly translate: Translate;
  readonly explain: ExplainAudience;
  readonly budget: Budget;
}

export const incrementalDelivery = ({ translate, explain, budget }: IncrementalOptions): Policy => {
  /** Total cost and continuations. */
  const extensionsOf = (operation: Operation, { errors }: ResultParts): object | undefined => {
    const cost = costExtensions(operation, explain);
    const continuation = continuationsOf(errors);
    if (!cost && continuation.length === 0) return undefined;
    return {
      ...(cost && { upstream: { ...cost.upstream, budget } }),
      ...(continuation.length > 0 && { continuation }),
    };
  };
  return {
    onExecuteDone({ record: operation, partsReader }, result) {
      if (!partsReader) return undefined;
      const { subsequent, ...initial }: IncrementalResult = result;
      if (!subsequent) return undefined;
      const { format } = partsReader;
      const { pending } = subsequent;
      async function* later(): AsyncGenerator<ResultPart, undefined> {
        const write = WRITERS[format](pending, (errors) => parts.translate(errors));
        for (let one = await subsequent!.next(); one; one = await subsequent!.next()) {
          const { hasNext } = one;
          const part = write(one);
          if (!hasNext) yield { ...part, hasNext, extensions: extensionsOf(operation, parts) };
          else if (part) yield { ...part, hasNext };
        }
      }
      const parts = new ResultParts({
        operation,
        format,
        head: format === 'incrementalSpec=v0.2' ? { pending: pending.map(pendingEntry) } : {},
        later: later(),
        cancel: subsequent.cancel,
        translate,
      });
      operation.parts = parts;
      return translateResult(initial, translate, operation.writes);
    },
  };
};

type Show = (errors: readonly unknown[]) => readonly GraphQLError[];

/** Converts a payload without `hasNext`; undefined if the format omits it. */
type Write = (payload: DeliveredPayload) => Omit<ResultPart, 'hasNext'> | undefined;

const WRITERS: Readonly<
  Record<IncrementalFormat, (pending: readonly PendingResult[], show: Show) => Write>
> = {
  'incrementalSpec=v0.2':
    (_pending, show) =>
    ({ pending, incremental, completed }) => {
      const shown = <One extends { readonly errors?: readonly unknown[] }>(one: One) =>
        one.errors ? { ...one, errors: show(one.errors) } : one;
      return {
        ...(pending.length > 0 && { pending: pending.map(pendingEntry) }),
        ...(incremental.length > 0 && { incremental: incremental.map(shown) }),
        ...(completed.length > 0 && { completed: completed.map(shown) }),
      };
    },

  'deferSpec=20220824': (initial, show) => {
    const open = new Map<string, { readonly pending: PendingResult; next: number }>();
    const announce = (all: readonly PendingResult[]): void => {
      for (const pending of all) open.set(pending.id, { pending, next: pending.start ?? 0 });
    };
    announce(initial);
    return ({ pending, incremental, completed }) => {
      announce(pending);
      const parts: object[] = [];
      // Fragments are delivered whole: clients know each by its path and label.
      for (const { id, data, items, errors } of incremental) {
        const known = open.get(id)!;
        const { path } = known.pending;
        parts.push({
          ...(items ? { items, path: [...path, known.next] } : { data, path }),
          label: known.pending.label,
          ...(errors && { errors: show(errors) }),
        });
        known.next += items?.length ?? 0;
      }
      for (const { id, errors } of completed) {
        const { pending: one, next } = open.get(id)!;
        open.delete(id);
        if (!errors) continue;
        const isList = one.start !== undefined;
        parts.push({
          ...(isList ? { items: null, path: [...one.path, next] } : { data: null, path: one.path }),
          label: one.label,
          errors: show(errors),
        });
      }
      return parts.length > 0 ? { incremental: parts } : undefined;
    };
  },
};

const pendingEntry = ({ id, path, label }: PendingResult): object => ({ id, path, label });
