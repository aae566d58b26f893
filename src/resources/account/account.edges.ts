/**
 * Fields that lead to accounts: `account` and `accounts`.
 */
import { connectionType } from '../../graph/fields/connection-type.ts';
import { listField } from '../../graph/fields/list-field.ts';
import { lookupField } from '../../graph/fields/reference-field.ts';
import { builder } from '../../graph/schema/builder.ts';
import { routes } from '../../v0/routes.ts';
import { accountList } from './account.list.ts';
import { accountEntity } from './account.type.ts';

builder.queryFields((t) => ({
  account: t.field(
    lookupField(accountEntity, 'Fetches an account by id. Null when there is none.'),
  ),
  accounts: t.field(
    listField({
      isRoot: true,
      type: connectionType(accountEntity.ref),
      description: `Paginated list of accounts, or with \`query\` of those that match it, which calls \`GET ${routes.searchAccounts.path}\` instead.`,
      args: {
        query: t.arg.string({
          description:
            'Search terms, matched against names and domains. All accounts are listed when absent.',
        }),
        includeEmptyOnly: t.arg.boolean({
          description:
            'True lists only the accounts without persons. It adds none to the others, as its REST name may suggest. The backend decides when absent.',
        }),
      },
      from: 'key',
      // Uses one of two routes, depending on whether there is a search text.
      route: routes.listAccounts,
      items: accountEntity,
      list: (_query, args, context) => accountList(context, args),
    }),
  ),
}));
