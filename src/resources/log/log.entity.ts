/** The logs of persons and accounts, and the route that reads one by its key. */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import type { AccountLog, PersonLog } from '../../v0/log.ts';
import { routes } from '../../v0/routes.ts';

export const PersonLogRef = builder.objectRef<PersonLog>('PersonLog');

export const personLogEntity = new Entity({
  ref: PersonLogRef,
  key: ['personId', 'personLogId'],
  route: routes.getPersonLog,
});

export const AccountLogRef = builder.objectRef<AccountLog>('AccountLog');

export const accountLogEntity = new Entity({
  ref: AccountLogRef,
  key: ['accountId', 'accountLogId'],
  route: routes.getAccountLog,
});
