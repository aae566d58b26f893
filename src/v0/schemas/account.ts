/**
 * Accounts, and the account as its own read route answers it: with its persons.
 *
 * Source: interface.md, "Account". Assumed: `name` and `latestActivityAt` may be null; the read
 * of one account is an extended route, see docs/assumptions.md.
 */
import { z } from 'zod';
import { Person } from './person.ts';
import { counter, looseString, timestamp } from '../primitive.ts';

export const Account = z.object({
  accountId: z.string(),
  domain: z.string(),
  name: looseString,
  createdAt: timestamp,
  updatedAt: timestamp,
  latestActivityAt: looseString,
  linkedPersonsCount: counter,
});
export type Account = z.infer<typeof Account>;

/** GET /v0/accounts/{account_id}: the persons themselves instead of their number. */
export const AccountWithPersons = Account.omit({ linkedPersonsCount: true }).extend({
  linkedPersons: z.array(Person),
});
export type AccountWithPersons = z.infer<typeof AccountWithPersons>;
