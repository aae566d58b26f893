/**
 * The GraphQL types of logs of persons and accounts, and the interface that they share with activity items.
 *
 * Source: interface.md, "PersonLog", "AccountLog". Every field of the interface is nullable, because all of
 * an activity item may be absent; what the document requires of logs is never null there.
 */
import { builder } from '../../graph/types/builder.ts';
import { nodeType } from '../../graph/types/node-type.ts';
import { restFields } from '../../graph/types/rest-fields.ts';
import { AccountLog, LogEntry, PersonLog } from '../../v0/log.ts';
import { accountLogEntity, personLogEntity } from './log.entity.ts';

/** What the fields mean, in the interface and in its types. */
const LOG_DESCRIPTIONS = {
  source: 'System that recorded the event, such as `crm`.',
  type: 'Kind of event, such as `note-added`.',
  payload: 'JSON payload of the event.',
  idempotencyKey:
    'Idempotency key under which the event was recorded. Null when it was recorded without one.',
  createdAt: 'Time of recording.',
  updatedAt: 'Time of the last change. Null if never changed.',
  deletedAt: 'Time of deletion. Null if not deleted.',
} as const satisfies Record<keyof LogEntry, string>;

export const LogEntryRef = builder.interfaceRef<LogEntry>('LogEntry');

builder.interfaceType(LogEntryRef, {
  description: 'A recorded event: a log entry of a person or an account, or an activity item.',
  fields: (t) => restFields(t, LogEntry, LOG_DESCRIPTIONS),
});

nodeType(personLogEntity, {
  description: 'A log entry of a person: an event that concerns them.',
  interfaces: [LogEntryRef],
  fields: (t) =>
    restFields(t, PersonLog, {
      personId: 'Raw id of the person.',
      personLogId: 'Raw id of this log entry in the REST API.',
      ...LOG_DESCRIPTIONS,
    }),
});

nodeType(accountLogEntity, {
  description: 'A log entry of an account: an event that concerns it.',
  interfaces: [LogEntryRef],
  fields: (t) =>
    restFields(t, AccountLog, {
      accountId: 'Raw id of the account.',
      accountLogId: 'Raw id of this log entry in the REST API.',
      ...LOG_DESCRIPTIONS,
    }),
});
