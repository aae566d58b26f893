/**
 * What the gateway answers beside the data: the journal of a request, and the plan of a document.
 */
import type { ExecutionResult } from 'graphql';

export interface JournalCall {
  readonly method: string;
  /** The route's template. */
  readonly route: string;
  /** The field that caused the call. */
  readonly path: readonly (string | number)[];
  /** Milliseconds since the request began. */
  readonly startMs: number;
  readonly durationMs: number | null;
  readonly status: number | null;
  readonly attempt: number;
  readonly source: 'sent' | 'shared' | 'primed' | 'unsent';
}

export interface Journal {
  readonly calls: number;
  readonly rounds: number;
  readonly backendMs: number;
  readonly journal: readonly JournalCall[];
}

/** `most` is null where the length of a list is unknown. */
export interface Count {
  readonly least: number;
  readonly most: number | null;
}

export interface Plan {
  readonly calls: Count;
  readonly rounds: number;
  readonly dearest: string | null;
  readonly routes: readonly (Count & {
    readonly method: string;
    readonly route: string;
    readonly fields: readonly string[];
  })[];
  readonly values?: { readonly atLeast: number; readonly atMost: number | null };
  readonly budget?: { readonly calls: number; readonly values: number };
}

export const journalOf = (result: ExecutionResult | undefined): Journal | undefined =>
  result?.extensions?.['upstream'] as Journal | undefined;

export const planIn = (result: ExecutionResult | undefined): Plan | undefined =>
  result?.extensions?.['plan'] as Plan | undefined;
