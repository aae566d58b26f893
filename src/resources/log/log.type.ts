/**
 * Logs of persons and accounts as the graph shows them.
 *
 * Source: interface.md, "PersonLog", "AccountLog". The fields both have are tightened from
 * `LogEntry`: what the document requires is never null here.
 */
import { builder } from '../../graph/builder.ts';
import { nodeId } from '../../graph/entity.ts';
import { accountLogEntity, AccountLogRef, personLogEntity, PersonLogRef } from './log.entity.ts';
import { LOG_DESCRIPTIONS, LogEntryRef } from './log-entry.type.ts';

builder.node(PersonLogRef, {
  description: 'Something that happened to a person.',
  interfaces: [LogEntryRef],
  id: nodeId(personLogEntity),
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

builder.node(AccountLogRef, {
  description: 'Something that happened to an account.',
  interfaces: [LogEntryRef],
  id: nodeId(accountLogEntity),
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
