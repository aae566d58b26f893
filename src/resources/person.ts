/** Persons. Source: interface.md, "Person". */
import { type Context, perRequest } from '../graph/context.ts';
import { Entity } from '../graph/entity/entity.ts';
import { requiring } from '../graph/entity/requirement.ts';
import { arrayConnectionField } from '../graph/fields/array-connection.ts';
import { connectionType } from '../graph/fields/connection-type.ts';
import { listField } from '../graph/fields/list-field.ts';
import { lookupField, referenceField } from '../graph/fields/reference-field.ts';
import { List } from '../graph/loading/list.ts';
import { Loader } from '../graph/loading/loader.ts';
import { builder } from '../graph/schema/builder.ts';
import { restType } from '../graph/schema/rest-type.ts';
import { requireKey, valueAt, type NodeReference } from '../graph/types/key.ts';
import { readBy } from '../rest/client/route-capabilities.ts';
import { routes } from '../v0/routes.ts';
import { Person } from '../v0/schemas/person.ts';
import {
  type AccountKey,
  accountByDomainLoader,
  accountEntity,
  accountWithPersonsLoader,
} from './account.ts';
import { audienceEntity } from './audience.ts';

export const personEntity = new Entity({
  ref: builder.objectRef<Person>('Person'),
  key: ['personId'],
  route: routes.getPerson,
});

restType(personEntity, Person, {
  description: 'A person, who can have audiences and log entries.',
  fields: {
    domain: 'Internet domain of the organisation, used to look up `account`. Null if unknown.',
  },
});

type Persons = readonly (Person | NodeReference)[];

const activityWithPersons = (context: Context, accountId: string) =>
  List.of(context, routes.listActivity, {
    path: { account_id: accountId },
    query: { includePersonActivity: 'true' },
  });

const personsOfAccountLoader = perRequest(
  (context) =>
    new Loader<AccountKey, Persons | null>((key, call) =>
      readBy<Persons | null>(
        routes.getAccount,
        context.rest.capabilities,
        async () => {
          const account = await accountWithPersonsLoader(context).loadFor(key, call);
          return account && account.linkedPersons;
        },
        // Assumed: see docs/assumptions.md.
        async () => {
          const activity = await activityWithPersons(context, key.accountId).all(call);
          const ids = activity.map((item) => valueAt(item, 'personId'));
          return personEntity.references(ids, (personId) => ({ personId }));
        },
      ),
    ),
);

const PersonConnectionRef = connectionType(personEntity.ref, personEntity);

lookupField(personEntity);

listField('Query', 'persons', {
  type: PersonConnectionRef,
  description: 'Paginated list of persons.',
  route: routes.listPersons,
  items: personEntity,
  list: (_query, _args, context) => List.of(context, routes.listPersons, {}),
});

/** Persons of an account share its domain, by which they refer to it. */
const ofAccount = {
  kind: 'load',
  from: 'key',
  items: personEntity,
  loader: personsOfAccountLoader,
  // Called with an account or its key only.
  key: (account: object) => ({ accountId: (account as { accountId: string }).accountId }),
  shares: ['domain'],
} as const;

arrayConnectionField(accountEntity.ref, 'persons', {
  type: PersonConnectionRef,
  description:
    'Persons linked to the account, paginated in both directions. Shares its REST call with the account.',
  entity: personEntity,
  listId: ({ accountId }) => JSON.stringify(['persons of', accountId]),
  requirement: {
    ...ofAccount,
    route: routes.getAccount,
    instead: {
      ...ofAccount,
      route: routes.listActivity,
      references: true,
      list: ({ accountId }, context) => activityWithPersons(context, accountId!),
    },
  },
  items: ({ accountId }, context, { path }) =>
    personsOfAccountLoader(context).load({ accountId }, path),
});

builder.objectField(personEntity.ref, 'account', (t) =>
  t.field({
    ...requiring(
      'Account with exactly the domain of the person. Null if there is none. Makes no call if this request has already read the account.',
      {
        kind: 'load',
        from: 'object',
        route: routes.searchAccounts,
        items: accountEntity,
        loader: accountByDomainLoader,
        parts: ['domain'],
        // Called with a person only.
        key: (person) => ({ domain: (person as { domain: string }).domain }),
        shares: ['domain'],
      },
    ),
    type: accountEntity.ref,
    resolve: async (person, _args, context, { path }) => {
      const { domain } = requireKey({ domain: person.domain });
      if (!domain) return null;
      const account = await accountByDomainLoader(context).load({ domain }, path);
      if (account) accountEntity.prime(context, [account]);
      return account;
    },
  }),
);

referenceField(audienceEntity.ref, 'person', personEntity, {
  from: 'object',
  description:
    'Person that the audience is for. Null if it is not for a single person, or if that person no longer exists.',
});
