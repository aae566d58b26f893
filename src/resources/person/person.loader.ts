/**
 * The persons of an account, all of them, once a request.
 *
 * Read with the account itself where there is a route for that. Where there is none, they are known
 * by what they did: the distinct persons of the account's activity, by their ids.
 */
import { perRequest, type Context } from '../../graph/context.ts';
import { List } from '../../graph/loading/list.ts';
import { Loader } from '../../graph/loading/loader.ts';
import type { CallOptions } from '../../rest/client/client.ts';
import { readBy } from '../../rest/client/route-capabilities.ts';
import type { Account } from '../../v0/schemas/account.ts';
import type { Person } from '../../v0/schemas/person.ts';
import { routes } from '../../v0/routes.ts';
import { accountWithPersonsLoader } from '../account/account.loader.ts';
import { personEntity } from './person.type.ts';

type AccountKey = Pick<Account, 'accountId'>;
type Persons = readonly (Person | ReturnType<typeof personEntity.reference>)[];

/** Null when there is no such account. */
export const personsOfAccountLoader = perRequest(
  (context) =>
    new Loader<AccountKey, Persons | null>((key, call) =>
      readBy(
        routes.getAccount,
        context.rest.capabilities,
        () => linkedPersons(context, key, call),
        () => activePersons(context, key, call),
      ),
    ),
);

async function linkedPersons(
  context: Context,
  key: AccountKey,
  call: CallOptions,
): Promise<Persons | null> {
  const account = await accountWithPersonsLoader(context).loadFor(key, call);
  return account && account.linkedPersons;
}

/** What happened to an account and to its persons. */
export const activityWithPersons = (context: Context, accountId: string) =>
  List.of(context, routes.listActivity, {
    path: { account_id: accountId },
    query: { includePersonActivity: 'true' },
  });

/** Assumed: see docs/assumptions.md. */
async function activePersons(
  context: Context,
  { accountId }: AccountKey,
  call: CallOptions,
): Promise<Persons> {
  const activity = await activityWithPersons(context, accountId).all(call);
  const ids = activity.flatMap(({ personId }) => (typeof personId === 'string' ? personId : []));
  return [...new Set(ids)].map((personId) => personEntity.reference({ personId }));
}
