/**
 * Account → Logs and Activity, Person → Logs, and the way back from each.
 *
 * Accounts and persons need not know their logs: all these edges live here.
 */
import { builder } from '../../graph/types/builder.ts';
import { connectionType } from '../../graph/connection/connection-type.ts';
import { referenceField } from '../../graph/entity/reference-field.ts';
import { listField } from '../../graph/connection/list-field.ts';
import { filtersOf } from '../../graph/connection/filters.ts';
import { routes } from '../../v0/routes.ts';
import { accountEntity, AccountRef } from '../account/account.entity.ts';
import { personEntity, PersonRef } from '../person/person.entity.ts';
import { ActivityItemRef } from './activity.type.ts';
import { accountLogEntity, AccountLogRef, personLogEntity, PersonLogRef } from './log.entity.ts';

const AccountLogConnectionRef = connectionType(AccountLogRef);
const PersonLogConnectionRef = connectionType(PersonLogRef);
const ActivityItemConnectionRef = connectionType(ActivityItemRef);

const INCLUDE_DELETED = 'Whether to include deleted entries. The backend decides when absent.';

builder.objectFields(AccountRef, (t) => ({
  logs: listField(t, {
    type: AccountLogConnectionRef,
    description: 'Paginated list of the log entries of the account itself.',
    from: 'key',
    route: routes.listAccountLogs,
    items: accountLogEntity,
    args: { includeDeleted: t.arg.boolean({ description: INCLUDE_DELETED }) },
    input: ({ accountId }, { includeDeleted }) => ({
      path: { account_id: accountId },
      query: filtersOf({ includeDeleted }),
    }),
  }),
  activity: listField(t, {
    type: ActivityItemConnectionRef,
    description:
      'Paginated activity feed of the account. Includes events of its persons with `includePersonActivity`.',
    from: 'key',
    route: routes.listActivity,
    args: {
      includeDeleted: t.arg.boolean({ description: INCLUDE_DELETED }),
      includePersonActivity: t.arg.boolean({
        description:
          'Whether to include events of the persons of the account. The backend decides when absent.',
      }),
    },
    input: ({ accountId }, { includeDeleted, includePersonActivity }) => ({
      path: { account_id: accountId },
      query: filtersOf({ includeDeleted, includePersonActivity }),
    }),
  }),
}));

builder.objectField(PersonRef, 'logs', (t) =>
  listField(t, {
    type: PersonLogConnectionRef,
    description: 'Paginated list of the log entries of the person.',
    from: 'key',
    route: routes.listPersonLogs,
    items: personLogEntity,
    args: { includeDeleted: t.arg.boolean({ description: INCLUDE_DELETED }) },
    input: ({ personId }, { includeDeleted }) => ({
      path: { person_id: personId },
      query: filtersOf({ includeDeleted }),
    }),
  }),
);

builder.objectField(PersonLogRef, 'person', (t) =>
  referenceField(t, personEntity, {
    description: 'Person that the event concerns.',
    from: 'key',
    key: ({ personId }) => ({ personId }),
  }),
);

builder.objectField(AccountLogRef, 'account', (t) =>
  referenceField(t, accountEntity, {
    description: 'Account that the event concerns.',
    from: 'key',
    key: ({ accountId }) => ({ accountId }),
  }),
);
