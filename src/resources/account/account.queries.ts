/** `account` and `accounts`. */
import { builder } from '../../graph/types/builder.ts';
import { connectionType } from '../../graph/connection/connection-type.ts';
import type { ListDemand } from '../../graph/entity/demand.ts';
import { lookupField } from '../../graph/entity/reference-field.ts';
import { connectionField } from '../../graph/connection/list-field.ts';
import { routes } from '../../v0/routes.ts';
import { accountEntity, AccountRef } from './account.entity.ts';
import { accountList } from './account.list.ts';

const AccountConnectionRef = connectionType(AccountRef);

/** Two routes answer this list: which one depends on whether there is something to look for. */
const listed: ListDemand = {
  kind: 'list',
  from: 'key',
  route: routes.listAccounts,
  proves: false,
  items: accountEntity,
  list: (_query, args, context) => accountList(context, args),
};

builder.queryFields((t) => ({
  account: lookupField(t, accountEntity, 'An account by its REST id; null when there is none.'),
  accounts: connectionField(t, {
    type: AccountConnectionRef,
    description: `All accounts, or with \`query\` those that match it. With \`query\` it costs \`GET ${routes.searchAccounts.path}\` instead.`,
    args: {
      query: t.arg.string({ description: 'Words to look for in names and domains.' }),
      includeEmptyOnly: t.arg.boolean({
        description:
          'REST’s flag of this name: only accounts without persons. Not sent when absent.',
      }),
    },
    demand: () => listed,
  }),
}));
