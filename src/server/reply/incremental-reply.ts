/**
 * Answers in parts, in the format that their caller reads.
 *
 * Errors of every part are formatted like those of whole answers. The last part has what the
 * request has cost and where to continue, which is known only then.
 */
import type { GraphQLFormattedError } from 'graphql';
import type { IncrementalResult, Rest } from '../../execution/execution.ts';
import type { Payload, Pending } from '../../execution/incremental/delivery.ts';
import { continuationsOf } from '../../graph/continuation.ts';
import type { IncrementalFormat } from './negotiation.ts';
import { presentErrors, Reply, type Presentation, type ReplyParts } from './reply.ts';

interface IncrementalReplyOptions {
  readonly format: IncrementalFormat;
  readonly presentation: Presentation;
  /** The `extensions` of the last part, beside where to continue. */
  readonly lastExtensions: () => Readonly<Record<string, unknown>> | undefined;
}

export function incrementalReply(
  { data, errors, rest }: IncrementalResult & { readonly rest: Rest },
  { format, presentation, lastExtensions }: IncrementalReplyOptions,
): Reply {
  const errorCodes: string[] = [];
  const causes: unknown[] = [];
  const later: GraphQLFormattedError[] = [];
  const show = (raw: readonly unknown[]): readonly GraphQLFormattedError[] => {
    const shown = presentErrors(raw, presentation);
    for (const code of shown.errorCodes) if (!errorCodes.includes(code)) errorCodes.push(code);
    causes.push(...shown.causes);
    return shown.formatted;
  };
  const write = WRITERS[format](rest.pending, (raw) => {
    const shown = show(raw);
    later.push(...shown);
    return shown;
  });
  const initialErrors = errors && show(errors);
  const continuation = continuationsOf(initialErrors ?? []);
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const parts: ReplyParts = {
    format,
    finished,
    next: async () => {
      for (let payload = await rest.next(); payload; payload = await rest.next()) {
        const isLast = !payload.hasNext;
        const part = write(payload);
        if (isLast) {
          const extensions = extensionsOf(later, lastExtensions());
          finish();
          return { text: JSON.stringify({ ...part, hasNext: false, ...extensions }), isLast };
        }
        if (part) return { text: JSON.stringify({ ...part, hasNext: true }), isLast };
      }
      finish();
      return undefined;
    },
    cancel: () => {
      rest.cancel();
      finish();
    },
  };
  const body = {
    ...(initialErrors && { errors: initialErrors }),
    data: data ?? null,
    ...(format === 'incrementalSpec=v0.2' && { pending: rest.pending.map(announced) }),
    ...(continuation.length > 0 && { extensions: { continuation } }),
    hasNext: true,
  };
  return new Reply(body, { errorCodes, causes, parts });
}

function extensionsOf(
  errors: readonly GraphQLFormattedError[],
  more: Readonly<Record<string, unknown>> | undefined,
): { readonly extensions?: object } {
  const continuation = continuationsOf(errors);
  const extensions = { ...more, ...(continuation.length > 0 && { continuation }) };
  return Object.keys(extensions).length > 0 ? { extensions } : {};
}

type Show = (errors: readonly unknown[]) => readonly GraphQLFormattedError[];

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
