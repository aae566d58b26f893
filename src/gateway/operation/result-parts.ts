/** An incremental result (`@defer`, `@stream`): the parts after the first, seen by plugins and then written. */
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Writes } from '../../graph/context.ts';
import { translateResult, type Translate } from './error-translation.ts';
import type { IncrementalFormat } from './negotiation.ts';
import { OF_LATER_PARTS, type ResponseParts } from './framing.ts';
import { formatError, formatResult } from './response.ts';

/** A part in its caller's format; errors are translated but not formatted. */
export interface ResultPart {
  readonly data?: ExecutionResult['data'];
  readonly errors?: readonly GraphQLError[];
  readonly pending?: readonly object[];
  readonly incremental?: readonly WithErrors[];
  readonly completed?: readonly WithErrors[];
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly hasNext?: boolean;
}

interface WithErrors {
  readonly errors?: readonly GraphQLError[];
  readonly data?: unknown;
  readonly items?: unknown;
}

/** Parts after the first. `return` cancels the remaining work. */
export type PartIterator = AsyncIterator<ResultPart, undefined, undefined> &
  Required<Pick<AsyncIterator<ResultPart, undefined, undefined>, 'return'>>;

/** Fields of the operation that log and metrics read. */
interface OutcomeFields {
  bytes: number | undefined;
  errors: readonly GraphQLError[] | undefined;
  readonly writes: Writes | undefined;
}

export class ResultParts {
  readonly format: IncrementalFormat;
  readonly #operation: OutcomeFields;
  /** Members of the first part in addition to the result. */
  readonly #head: object;
  readonly #translate: Translate;
  #later: PartIterator;
  /** Errors of all parts but the first. */
  readonly errors: GraphQLError[] = [];
  /** Whether all work has ended. */
  isOver = false;
  /** Called when all work has ended. */
  onEnd: (() => void) | undefined = undefined;

  constructor(
    operation: OutcomeFields,
    format: IncrementalFormat,
    head: object,
    later: PartIterator,
    translate: Translate,
  ) {
    this.#operation = operation;
    this.format = format;
    this.#head = head;
    this.#later = later;
    this.#translate = translate;
  }

  /** All parts, for plugins. @param see maps a part to the one that plugins get. */
  observe(
    first: ExecutionResult,
    see: (part: ResultPart) => ResultPart,
  ): AsyncIterableIterator<ResultPart, undefined> {
    const later = this.#later;
    let next = (): Promise<IteratorResult<ResultPart, undefined>> => {
      next = async () => {
        const one = await later.next();
        return one.done ? one : { done: false, value: see(one.value) };
      };
      const value = see({ ...first, ...this.#head, hasNext: true });
      return Promise.resolve({ done: false, value });
    };
    return {
      next: () => next(),
      return: () => later.return(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Replaces all parts by those of plugins, or by a plugin's single result. @returns the first result. */
  async replace(
    results: ExecutionResult | AsyncIterable<ExecutionResult>,
  ): Promise<ExecutionResult> {
    if (!(Symbol.asyncIterator in results)) {
      this.end();
      return results;
    }
    const parts = results[Symbol.asyncIterator]() as PartIterator; // iterators of plugins have `return`
    const {
      hasNext = false,
      pending: _pending,
      ...first
    } = (await parts.next()).value ?? { data: null };
    this.#later = parts;
    if (!hasNext) this.end();
    return first as ExecutionResult;
  }

  /** Cancels the remaining work. Idempotent. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    const { errors = [] } = this.#operation;
    this.#operation.errors = [...errors, ...this.errors];
    void this.#close();
    this.onEnd?.();
  }

  /** Serialises the parts and counts their bytes. @param first the settled result. */
  serialise(first: ExecutionResult): ResponseParts {
    const operation = this.#operation;
    const text = JSON.stringify({
      ...formatResult({ ...first, data: first.data ?? null }),
      ...this.#head,
      hasNext: true,
    });
    return {
      format: this.format,
      first: text,
      next: async () => {
        const part = await this.#next();
        // Cancelled or ended by a plugin.
        if (!part || this.isOver) {
          this.end();
          return undefined;
        }
        const isLast = part.hasNext !== true;
        const written = JSON.stringify({
          ...OF_LATER_PARTS[this.format],
          ...formatPart(part),
          hasNext: !isLast,
        });
        operation.bytes = (operation.bytes ?? 0) + Buffer.byteLength(written);
        if (isLast) this.end();
        return { text: written, isLast };
      },
      cancel: () => this.end(),
    };
  }

  async #next(): Promise<ResultPart | undefined> {
    if (this.isOver) return undefined;
    try {
      const { value } = await this.#later.next();
      return value;
    } catch (error) {
      // A plugin failed.
      const failed = { errors: [error as GraphQLError] };
      const { errors = [] } = translateResult(failed, this.#translate, this.#operation.writes);
      this.errors.push(...errors);
      return { errors, hasNext: false };
    }
  }

  async #close(): Promise<void> {
    try {
      await this.#later.return();
    } catch {
      // A plugin failed after everything was sent.
    }
  }
}

const formatPart = (part: ResultPart): object => ({
  ...part,
  errors: part.errors?.map(formatError),
  ...(part.incremental && { incremental: part.incremental.map(formatErrors) }),
  completed: part.completed?.map(formatErrors),
});

const formatErrors = (one: WithErrors): object =>
  one.errors ? { ...one, errors: one.errors.map(formatError) } : one;
