/**
 * Handlers of `<resource>.routes.ts` files: one per route of the table.
 *
 * A handler gets validated input and returns the contract's shape; it has no access to the request and begins no
 * transaction.
 */
import type { z } from 'zod';
import type { PathParameters, RouteName, routes } from '../../v0/routes.ts';
import type { Queries } from '../database/database.ts';
import type { ListRequest } from '../database/list.ts';
import type { Present } from './present.ts';

export interface HandlerCall<Name extends RouteName = RouteName> {
  /** Read access for a GET; a transaction for a write. */
  readonly db: Queries;
  /** Tenant of the caller; all queries filter by it. */
  readonly tenantId: string;
  readonly params: Readonly<Record<PathParameters<(typeof routes)[Name]['path']>, string>>;
  readonly query: NonNullable<(typeof routes)[Name]['input']>['query'];
  /** Parsed body with defaults. */
  readonly body: z.output<NonNullable<(typeof routes)[Name]['body']>>;
  readonly list: ListRequest;
  /** Time of a write, in epoch milliseconds. */
  readonly nowMs: number;
  /** Converts a row for callers. */
  readonly present: Present;
  /** Notifies the publisher of a queued version; its steps are writes, which begin after this one. */
  readonly publishLater: (versionId: string) => void;
}

type Answer<Name extends RouteName> = z.output<(typeof routes)[Name]['response']>;

export type Handlers = {
  readonly [Name in RouteName]: (call: HandlerCall<Name>) => Promise<Answer<Name>>;
};
