/**
 * Handlers of `<resource>.routes.ts` files: one per route of the table.
 *
 * A handler gets validated input and returns the contract's shape; it has no access to the request and begins no
 * transaction.
 */
import type { z } from 'zod';
import type { PathParameters, RouteName, routes } from '../../v0/routes.ts';
import type { Queries } from '../database/database.ts';

export interface HandlerCall<Name extends RouteName = RouteName> {
  /** Read access for a GET; a transaction for a write. */
  readonly db: Queries;
  /** Tenant of the caller; all queries filter by it. */
  readonly tenantId: string;
  readonly params: Readonly<Record<PathParameters<(typeof routes)[Name]['path']>, string>>;
  readonly query: NonNullable<(typeof routes)[Name]['input']>['query'];
  readonly body: z.output<NonNullable<(typeof routes)[Name]['body']>>;
  /** The page of a list; `scope` identifies the list and its filters. */
  readonly list: {
    readonly scope: string;
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
  };
  readonly nowMs: number;
  readonly present: Present;
  /** Notifies the publisher of a queued version; its steps are writes, which begin after this one. */
  readonly publishLater: (versionId: string) => void;
}

type Result<Name extends RouteName> = z.output<(typeof routes)[Name]['response']>;

export type Handlers = {
  readonly [Name in RouteName]: (call: HandlerCall<Name>) => Promise<Result<Name>>;
};

/** `document`: `+` and epoch milliseconds. `iso`: ISO 8601. */
export type TimestampForm = 'document' | 'iso';

/** A row without its tenant, and with timestamps (properties that end in `At`) as text. */
export type Presented<Row> = {
  -readonly [Name in Exclude<keyof Row, 'tenantId'>]: Name extends `${string}At`
    ? MomentAsText<Row[Name]>
    : Row[Name];
};
type MomentAsText<Value> = Value extends number ? string : Value;

export type Present = <Row extends object>(row: Row) => Presented<Row>;

/** Source: interface.md, "Conventions". Assumed: the digits after `+` are epoch milliseconds. */
export function presenter(form: TimestampForm): Present {
  const write = (epochMs: number): string =>
    form === 'iso' ? new Date(epochMs).toISOString() : `+${epochMs}`;
  return <Row extends object>(row: Row) => {
    const { tenantId: _, ...presented } = row as Record<string, unknown>;
    for (const [name, value] of Object.entries(presented)) {
      if (typeof value === 'number' && name.endsWith('At')) presented[name] = write(value);
    }
    return presented as Presented<Row>;
  };
}
