/**
 * Incremental delivery: responses of several parts, in the caller's format.
 *
 * The last part contains the total cost and the continuations.
 */
import type { GraphQLError } from 'graphql';
import type {
  IncrementalResult,
  SubsequentResults,
} from '../../execution/incremental/incremental-executor.ts';
import type { DeliveredPayload, PendingResult } from '../../execution/incremental/delivery.ts';
import { continuationsOf } from '../../graph/errors.ts';
import type { Operation } from '../operation/operation.ts';
import { withWrites, translateResult, type Translate } from '../operation/error-translation.ts';
import { ResultParts, type ResultPart, type PartIterator } from '../operation/result-parts.ts';
import { costExtensions, type ExplainAudience } from './explain.ts';
import type { Policy } from '../policy.ts';
import type { Budget } from '../../plan/planner.ts';
import { partsReaderOf, type IncrementalFormat } from '../operation/negotiation.ts';

interface IncrementalOptions {
  readonly translate: Translate;
  readonly explain: ExplainAudience;
  readonly budget: Budget;
}

export const incrementalDelivery = (options: IncrementalOptions): Policy => ({
  onExecuteDone(operation, result) {
    if (!operation.definition.document.facts.isIncremental) return undefined;
    const { subsequent, ...initial }: IncrementalResult = result;
    const reader = partsReaderOf(operation.accept);
    if (!subsequent || !reader) return undefined;
    operation.parts = partsOf(subsequent, reader.format, operation, options);
    return translateResult(initial, options.translate, operation.writes);
  },
});

function partsOf(
  subsequent: SubsequentResults,
  format: IncrementalFormat,
  operation: Operation,
  { translate, explain, budget }: IncrementalOptions,
): ResultParts {
  const write = WRITERS[format](subsequent.pending, (raw) => {
    const errors = raw.map((error) => withWrites(translate(error), operation.writes, false));
    parts.errors.push(...errors);
    return errors;
  });
  /** Cost of all parts, and continuations. */
  const lastExtensions = (): Pick<ResultPart, 'extensions'> => {
    const cost = costExtensions(operation, explain);
    const continuation = continuationsOf(parts.errors);
    if (!cost && continuation.length === 0) return {};
    return {
      extensions: {
        ...(cost && { upstream: { ...cost.upstream, budget } }),
        ...(continuation.length > 0 && { continuation }),
      },
    };
  };
  const later: PartIterator = {
    async next() {
      for (let payload = await subsequent.next(); payload; payload = await subsequent.next()) {
        const part = write(payload);
        if (!payload.hasNext) {
          return { done: false, value: { ...part, hasNext: false, ...lastExtensions() } };
        }
        if (part) return { done: false, value: { ...part, hasNext: true } };
      }
      return { done: true, value: undefined };
    },
    return() {
      subsequent.cancel();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  const head =
    format === 'incrementalSpec=v0.2' ? { pending: subsequent.pending.map(pendingEntry) } : {};
  const parts = new ResultParts(operation, format, head, later, translate);
  return parts;
}

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
