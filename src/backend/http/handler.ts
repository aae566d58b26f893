/**
 * What a `<resource>.routes.ts` file holds: one handler a route of the route table.
 *
 * A handler gets what the contract's schemas let through and answers the contract's shape; it sees no request and begins
 * no transaction.
 */
import type { z } from 'zod';
import type { PathParameters, RouteName, routes } from '../../v0/routes.ts';
import type { Queries } from '../database/database.ts';
import type { ListRequest } from '../database/list.ts';
import type { Present } from './present.ts';

export interface HandlerCall<Name extends RouteName = RouteName> {
  /** Reads for a GET; one transaction for what writes. */
  readonly db: Queries;
  /** Whose rows may be seen. Every query filters on it. */
  readonly tenantId: string;
  readonly params: Readonly<Record<PathParameters<(typeof routes)[Name]['path']>, string>>;
  readonly query: NonNullable<(typeof routes)[Name]['input']>['query'];
  /** After parsing: defaults are filled in. */
  readonly body: z.output<NonNullable<(typeof routes)[Name]['body']>>;
  readonly list: ListRequest;
  /** The moment of a write, in epoch milliseconds. */
  readonly nowMs: number;
  /** Writes a row as callers want it. */
  readonly present: Present;
  /** Tells the publisher that a version waits in the queue: its steps are writes, which begin after this one. */
  readonly publishLater: (versionId: string) => void;
}

type Answer<Name extends RouteName> = z.output<(typeof routes)[Name]['response']>;

export type Handlers = {
  readonly [Name in RouteName]: (call: HandlerCall<Name>) => Promise<Answer<Name>>;
};
