/**
 * Logs of persons and accounts as the graph shows them.
 *
 * Source: interface.md, "PersonLog", "AccountLog". The fields both have are tightened from
 * `LogEntry`: what the document requires is never null here.
 */
import { nodeType } from '../../graph/types/node-type.ts';
import { accountLogEntity, personLogEntity } from './log.entity.ts';
import { LOG_DESCRIPTIONS, LogEntryRef } from './log-entry.type.ts';

nodeType(personLogEntity, {
  description: 'Something that happened to a person.',
  interfaces: [LogEntryRef],
  fields: (t) => ({
    personId: t.exposeID('personId', { description: 'The person, by its REST id.' }),
    personLogId: t.exposeID('personLogId', { description: 'The id REST knows this log by.' }),
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
  description: 'Something that happened to an account.',
  interfaces: [LogEntryRef],
  fields: (t) => ({
    accountId: t.exposeID('accountId', { description: 'The account, by its REST id.' }),
    accountLogId: t.exposeID('accountLogId', { description: 'The id REST knows this log by.' }),
    source: t.exposeString('source', { description: LOG_DESCRIPTIONS.source }),
    type: t.exposeString('type', { description: LOG_DESCRIPTIONS.type }),
    payload: t.expose('payload', { type: 'JSON', description: LOG_DESCRIPTIONS.payload }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: LOG_DESCRIPTIONS.createdAt,
    }),
  }),
});
