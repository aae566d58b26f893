/**
 * Fields that lead to persons, and from them to their account.
 */
import { arrayConnectionField } from '../../graph/fields/array-connection.ts';
import { connectionType } from '../../graph/fields/connection-type.ts';
import { listField } from '../../graph/fields/list-field.ts';
import { List } from '../../graph/loading/list.ts';
import { requiring } from '../../graph/entity/requirement.ts';
import { lookupField, referenceField } from '../../graph/fields/reference-field.ts';
import { builder } from '../../graph/schema/builder.ts';
import { soundKey } from '../../graph/types/key.ts';
import { routes } from '../../v0/routes.ts';
import { accountByDomainLoader, findAccountByDomain } from '../account/account.loader.ts';
import { accountEntity } from '../account/account.type.ts';
import { audienceEntity } from '../audience/audience.type.ts';
import { activityWithPersons, personsOfAccountLoader } from './person.loader.ts';
import { personEntity } from './person.type.ts';

const PersonConnectionRef = connectionType(personEntity.ref, personEntity);

builder.queryFields((t) => ({
  person: t.field(lookupField(personEntity, 'Fetches a person by ID. Null if it does not exist.')),
  persons: t.field(
    listField({
      type: PersonConnectionRef,
      description: 'Paginated list of persons.',
      isRoot: true,
      from: 'key',
      route: routes.listPersons,
      items: personEntity,
      list: (_query, _args, context) => List.of(context, routes.listPersons, {}),
    }),
  ),
}));

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

builder.objectField(accountEntity.ref, 'persons', (t) =>
  t.field(
    arrayConnectionField({
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
    }),
  ),
);

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
      const { domain } = soundKey({ domain: person.domain });
      if (!domain) return null;
      const account = await findAccountByDomain(context, domain, path);
      if (account) accountEntity.prime(context, [account]);
      return account;
    },
  }),
);

builder.objectField(audienceEntity.ref, 'person', (t) =>
  t.field(
    referenceField(personEntity, {
      from: 'object',
      description:
        'Person that the audience is for. Null if it is not for a single person, or if that person no longer exists.',
    }),
  ),
);
