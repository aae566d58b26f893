/**
 * Accounts, and accounts with persons as returned by their read route.
 *
 * Source: interface.md, "Account". Assumed: `name` and `latestActivityAt` may be null; the read
 * of one account is an optional route, see docs/assumptions.md.
 */
import { z } from 'zod';
import { Person } from './person.ts';
import { counter, keyId, looseString, timestamp } from './primitive.ts';

export const Account = z.object({
  accountId: keyId.describe('ID of this account.'),
  domain: z
    .string()
    .describe(
      'Internet domain, such as `example.com`. Persons with the same domain belong to the account.',
    ),
  name: looseString.describe('Display name. Null if the backend has none.'),
  createdAt: timestamp.describe('Time of creation.'),
  updatedAt: timestamp.describe('Time of the last change.'),
  latestActivityAt: looseString.describe(
    'Time of the latest activity of the account or its persons. Null if there was none.',
  ),
  linkedPersonsCount: counter.describe('Number of persons linked to the account.'),
});
export type Account = z.infer<typeof Account>;

/** Response of GET /v0/accounts/{account_id}: with persons instead of their number. */
export const AccountWithPersons = Account.omit({ linkedPersonsCount: true }).extend({
  linkedPersons: z.array(Person).describe('Persons linked to the account.'),
});
export type AccountWithPersons = z.infer<typeof AccountWithPersons>;
