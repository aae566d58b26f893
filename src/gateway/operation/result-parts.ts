/** An incremental result (`@defer`, `@stream`): the parts after the first, seen by plugins and then written. */
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Writes } from '../../graph/context.ts';
import { withWrites, type Translate } from './error-translation.ts';
import type { IncrementalFormat } from './negotiation.ts';
import {
  formatError,
  formatResult,
  OF_LATER_PARTS,
  partOf,
  PARTS_END,
  PREAMBLE,
  type ResponseStream,
} from './response.ts';

/** A part in its caller's format; errors are translated but not formatted. */
export interface ResultPart {
  readonly data?: ExecutionResult['data'];
  readonly errors?: readonly GraphQLError[];
  readonly pending?: readonly object[];
  readonly incremental?: readonly WithErrors[];
  readonly completed?: readonly WithErrors[];
  readonly extensions?: object | undefined;
  readonly hasNext?: boolean;
}

interface WithErrors {
  readonly errors?: readonly GraphQLError[];
  readonly data?: unknown;
  readonly items?: unknown;
}

/** Interval of empty parts, in milliseconds: proxies close idle connections. */
const HEARTBEAT_MS = 5_000;

/** Fields of the operation that log and metrics read. */
interface OutcomeFields {
  bytes: number | undefined;
  errors: readonly GraphQLError[];
  readonly writes: Writes | undefined;
}

interface ResultPartsOptions {
  readonly operation: OutcomeFields;
  readonly format: IncrementalFormat;
  /** Members of the first part in addition to the result. */
  readonly head: object;
  readonly later: AsyncGenerator<ResultPart, undefined>;
  readonly cancel: () => void;
  readonly translate: Translate;
}

export class ResultParts {
  readonly #options: ResultPartsOptions;
  #later: AsyncIterator<ResultPart, undefined>;
  /** Errors of all parts but the first. */
  readonly errors: GraphQLError[] = [];
  isOver = false;
  onEnd: (() => void) | undefined = undefined;

  constructor(options: ResultPartsOptions) {
    this.#options = options;
    this.#later = options.later;
  }

  get format(): IncrementalFormat {
    return this.#options.format;
  }

  /** All parts, for plugins. */
  async *all(first: ExecutionResult): AsyncGenerator<ResultPart, undefined> {
    const { head, later } = this.#options;
    yield { ...first, ...head, hasNext: true };
    return yield* later;
  }

  /** Replaces all parts by those of plugins, or by a plugin's single result. @returns the first result. */
  async replace(
    results: ExecutionResult | AsyncIterable<ExecutionResult>,
  ): Promise<ExecutionResult> {
    if (!(Symbol.asyncIterator in results)) {
      this.end();
      return results;
    }
    this.#later = results[Symbol.asyncIterator]() as AsyncIterator<ResultPart, undefined>; // parts are results
    const { value } = await this.#later.next();
    const { hasNext = false, pending: _pending, ...first } = value ?? { data: null };
    if (!hasNext) this.end();
    return first as ExecutionResult;
  }

  /** Translates and records errors of a later part. */
  translate(raw: readonly unknown[]): readonly GraphQLError[] {
    const { operation, translate } = this.#options;
    const errors = raw.map((error) => withWrites(translate(error), operation.writes, false));
    this.errors.push(...errors);
    return errors;
  }

  /** Cancels the remaining work. Idempotent. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    const { operation, cancel } = this.#options;
    operation.errors = [...operation.errors, ...this.errors];
    cancel();
    void this.#close();
    this.onEnd?.();
  }

  /** Serialises the parts and counts their bytes. @param first the settled result. */
  stream(first: ExecutionResult, heartbeatMs = HEARTBEAT_MS): ResponseStream {
    return {
      frames: this.#frames(first, heartbeatMs),
      isOfEvents: false,
      cancel: () => this.end(),
    };
  }

  async *#frames(first: ExecutionResult, heartbeatMs: number): AsyncGenerator<string, void> {
    const { format, head } = this.#options;
    const ofLater = OF_LATER_PARTS[format];
    const heartbeat = partOf(JSON.stringify({ ...ofLater, hasNext: true }));
    const result = formatResult({ ...first, data: first.data ?? null });
    yield PREAMBLE + this.#frameOf({ ...result, ...head, hasNext: true });
    for (;;) {
      const coming = this.#next();
      while (await isLate(coming, heartbeatMs)) yield heartbeat;
      const part = await coming;
      // Cancelled, or ended by a plugin.
      if (!part || this.isOver) break;
      const hasNext = part.hasNext === true;
      const frame = this.#frameOf({ ...ofLater, ...formatPart(part), hasNext });
      if (hasNext) {
        yield frame;
        continue;
      }
      this.end();
      yield frame + PARTS_END;
      return;
    }
    this.end();
    yield PARTS_END;
  }

  #frameOf(part: object): string {
    const { operation } = this.#options;
    const json = JSON.stringify(part);
    operation.bytes = (operation.bytes ?? 0) + Buffer.byteLength(json);
    return partOf(json);
  }

  async #close(): Promise<void> {
    try {
      await this.#later.return?.();
    } catch {
      // A plugin failed after everything was sent.
    }
  }

  async #next(): Promise<ResultPart | undefined> {
    try {
      return (await this.#later.next()).value;
    } catch (error) {
      // A plugin failed.
      return { errors: this.translate([error]), hasNext: false };
    }
  }
}

/** @param coming never rejects. */
const isLate = (coming: Promise<unknown>, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    void coming.then(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });

const formatPart = (part: ResultPart): object => ({
  ...part,
  errors: part.errors?.map(formatError),
  ...(part.incremental && { incremental: part.incremental.map(formatErrors) }),
  completed: part.completed?.map(formatErrors),
});

const formatErrors = (one: WithErrors): object =>
  one.errors ? { ...one, errors: one.errors.map(formatError) } : one;
