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
    lookupField(accountEntity, 'Fetches an account by ID. Null if it does not exist.'),
  ),
  accounts: t.field(
    listField({
      isRoot: true,
      type: connectionType(accountEntity.ref),
      description: `Paginated list of accounts, or with \`query\` of matching accounts, read from \`GET ${routes.searchAccounts.path}\`.`,
      args: {
        query: t.arg.string({
          description:
            'Search terms, matched against names and domains. If omitted, all accounts are listed.',
        }),
        includeEmptyOnly: t.arg.boolean({
          description:
            'Whether to list only accounts without persons. If omitted, the backend decides.',
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
