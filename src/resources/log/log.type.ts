/**
 * The GraphQL types of logs of persons and accounts.
 *
 * Source: interface.md, "PersonLog", "AccountLog". The fields both have are tightened from
 * `LogEntry`: what the document requires is never null here.
 */
import { nodeType } from '../../graph/types/node-type.ts';
import { accountLogEntity, personLogEntity } from './log.entity.ts';
import { LOG_DESCRIPTIONS, LogEntryRef } from './log-entry.type.ts';

nodeType(personLogEntity, {
  description: 'A log entry of a person: an event that concerns them.',
  interfaces: [LogEntryRef],
  fields: (t) => ({
    personId: t.exposeID('personId', { description: 'Raw id of the person.' }),
    personLogId: t.exposeID('personLogId', {
      description: 'Raw id of this log entry in the REST API.',
    }),
    source: t.exposeString('source', { description: LOG_DESCRIPTIONS.source }),
    type: t.exposeString('type', { description: LOG_DESCRIPTIONS.type }),
    payload: t.expose('payload', { type: 'JSON', description: LOG_DESCRIPTIONS.payload }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: LOG_DESCRIPTIONS.createdAt,
    }),
  }),
});

nodeType(accountLogEntity, {
  description: 'A log entry of an account: an event that concerns it.',
  interfaces: [LogEntryRef],
  fields: (t) => ({
    accountId: t.exposeID('accountId', { description: 'Raw id of the account.' }),
    accountLogId: t.exposeID('accountLogId', {
      description: 'Raw id of this log entry in the REST API.',
    }),
    source: t.exposeString('source', { description: LOG_DESCRIPTIONS.source }),
    type: t.exposeString('type', { description: LOG_DESCRIPTIONS.type }),
    payload: t.expose('payload', { type: 'JSON', description: LOG_DESCRIPTIONS.payload }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: LOG_DESCRIPTIONS.createdAt,
    }),
  }),
});
