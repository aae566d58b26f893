/**
 * Loader of all persons of an account.
 *
 * Read with the account if the route exists; otherwise the distinct persons of the account's activity, by id.
 */
import { perRequest, type Context } from '../../graph/context.ts';
import { List } from '../../graph/loading/list.ts';
import { valueAt } from '../../graph/types/key.ts';
import { Loader } from '../../graph/loading/loader.ts';
import type { CallOptions } from '../../rest/client/client.ts';
import { readBy } from '../../rest/client/route-capabilities.ts';
import type { Person } from '../../v0/schemas/person.ts';
import { routes } from '../../v0/routes.ts';
import { accountWithPersonsLoader, type AccountKey } from '../account/account.loader.ts';
import { personEntity } from './person.type.ts';

type Persons = readonly (Person | ReturnType<typeof personEntity.reference>)[];

/** Null if the account does not exist. */
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

/** Activity of an account and its persons. */
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
  const ids = activity.map((item) => valueAt(item, 'personId'));
  return personEntity.references(ids, (personId) => ({ personId }));
}
