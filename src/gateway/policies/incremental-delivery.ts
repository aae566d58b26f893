/**
 * Incremental delivery: responses in parts, in the format that their caller reads.
 *
 * The last part has what the request has cost and where to continue, which is known only then.
 */
import type { ExecutionResult, GraphQLError } from 'graphql';
import type {
  IncrementalResult,
  SubsequentResults,
} from '../../execution/incremental/incremental-executor.ts';
import type { Payload, Pending } from '../../execution/incremental/delivery.ts';
import { continuationsOf } from '../../graph/errors.ts';
import type { Operation } from '../operation/operation.ts';
import { formatted, formattedError, type ResponseParts } from '../operation/response.ts';
import { translated, type Translate } from '../operation/errors.ts';
import { costExtensions, type ExplainAudience } from './budget.ts';
import type { Policy } from '../pipeline.ts';
import type { Budget } from './execution.ts';
import { partsReaderOf, type IncrementalFormat } from '../operation/negotiation.ts';

interface IncrementalOptions {
  readonly translate: Translate;
  readonly explain: ExplainAudience;
  readonly budget: Budget;
}

export const incrementalDelivery = (options: IncrementalOptions): Policy => ({
  result(operation) {
    if (!operation.document!.facts.isIncremental) return;
    const { subsequent, ...initial } = operation.result as IncrementalResult;
    const reader = partsReaderOf(operation.accept);
    if (!subsequent || !reader) return;
    const first = translated(initial, options.translate);
    operation.parts = partsOf(first, subsequent, reader.format, operation, options);
    operation.result = first;
  },
});

function partsOf(
  initial: ExecutionResult,
  subsequent: SubsequentResults,
  format: IncrementalFormat,
  operation: Operation,
  { translate, explain, budget }: IncrementalOptions,
): ResponseParts {
  const later: GraphQLError[] = [];
  const write = WRITERS[format](subsequent.pending, (raw) => {
    const errors = raw.map(translate);
    later.push(...errors);
    return errors.map(formattedError);
  });
  let isOver = false;
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    operation.errors = [...(initial.errors ?? []), ...later];
    operation.parts?.onEnd?.();
  };
  const counted = (part: object): string => {
    const text = JSON.stringify(part);
    operation.bytes = (operation.bytes ?? 0) + Buffer.byteLength(text);
    return text;
  };
  /** What all of it has cost, and where to continue. */
  const lastExtensions = (): { readonly extensions?: object } => {
    const cost = costExtensions(operation, explain);
    const continuation = continuationsOf(later);
    if (!cost && continuation.length === 0) return {};
    return {
      extensions: {
        ...(cost && { upstream: { ...cost.upstream, budget } }),
        ...(continuation.length > 0 && { continuation }),
      },
    };
  };
  return {
    get isOver() {
      return isOver;
    },
    format,
    first: JSON.stringify({
      ...formatted({ ...initial, data: initial.data ?? null }),
      ...(format === 'incrementalSpec=v0.2' && { pending: subsequent.pending.map(announced) }),
      hasNext: true,
    }),
    next: async () => {
      for (let payload = await subsequent.next(); payload; payload = await subsequent.next()) {
        const isLast = !payload.hasNext;
        const part = write(payload);
        if (isLast) {
          const extensions = lastExtensions();
          const text = counted({ ...part, hasNext: false, ...extensions });
          finish();
          return { text, isLast };
        }
        if (part) return { text: counted({ ...part, hasNext: true }), isLast };
      }
      finish();
      return undefined;
    },
    cancel: () => {
      subsequent.cancel();
      finish();
    },
  };
}

type Show = (errors: readonly unknown[]) => readonly object[];

/** Writes payloads without `hasNext`; undefined for one that this format leaves out. */
type Write = (payload: Payload) => object | undefined;

const WRITERS: Readonly<
  Record<IncrementalFormat, (pending: readonly Pending[], show: Show) => Write>
> = {
  'incrementalSpec=v0.2':
    (_pending, show) =>
    ({ pending, incremental, completed }) => {
      const shown = <One extends { readonly errors?: readonly unknown[] }>(one: One) =>
        one.errors ? { ...one, errors: show(one.errors) } : one;
      return {
        ...(pending.length > 0 && { pending: pending.map(announced) }),
        ...(incremental.length > 0 && { incremental: incremental.map(shown) }),
        ...(completed.length > 0 && { completed: completed.map(shown) }),
      };
    },

  'deferSpec=20220824': (initial, show) => {
    const open = new Map<string, { readonly pending: Pending; next: number }>();
    const announce = (all: readonly Pending[]): void => {
      for (const pending of all) open.set(pending.id, { pending, next: pending.start ?? 0 });
    };
    announce(initial);
    return ({ pending, incremental, completed }) => {
      announce(pending);
      const parts: object[] = [];
      for (const { id, subPath = [], data, items, errors } of incremental) {
        const known = open.get(id)!;
        const { path } = known.pending;
        parts.push({
          ...(items
            ? { items, path: [...path, known.next] }
            : { data, path: [...path, ...subPath] }),
          ...labelOf(known.pending),
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
          ...labelOf(one),
          errors: show(errors),
        });
      }
      return parts.length > 0 ? { incremental: parts } : undefined;
    };
  },
};

const labelOf = ({ label }: Pending): object => (label === undefined ? {} : { label });

const announced = ({ id, path, label }: Pending): object => ({
  id,
  path,
  ...(label !== undefined && { label }),
});
