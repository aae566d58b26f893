/**
 * The GraphQL interface that logs of persons, logs of accounts and activity items share.
 *
 * Every field is nullable here, because all of an activity item may be absent.
 */
import { builder } from '../../graph/types/builder.ts';
import type { ActivityItem } from '../../v0/log.ts';

/** What the fields mean, in the interface and in the types that tighten it. */
export const LOG_DESCRIPTIONS = {
  source: 'System that recorded the event, such as `crm`.',
  type: 'Kind of event, such as `note-added`.',
  payload: 'JSON payload of the event.',
  idempotencyKey:
    'Idempotency key under which the event was recorded. Null when it was recorded without one.',
  createdAt: 'Time of recording.',
  updatedAt: 'Time of the last change. Null if never changed.',
  deletedAt: 'Time of deletion. Null if not deleted.',
} as const;

type LogEntry = Pick<ActivityItem, keyof typeof LOG_DESCRIPTIONS>;

export const LogEntryRef = builder.interfaceRef<LogEntry>('LogEntry');

builder.interfaceType(LogEntryRef, {
  description: 'A recorded event: a log entry of a person or an account, or an activity item.',
  fields: (t) => ({
    source: t.exposeString('source', { nullable: true, description: LOG_DESCRIPTIONS.source }),
    type: t.exposeString('type', { nullable: true, description: LOG_DESCRIPTIONS.type }),
    payload: t.expose('payload', {
      type: 'JSON',
      nullable: true,
      description: LOG_DESCRIPTIONS.payload,
    }),
    idempotencyKey: t.exposeString('idempotencyKey', {
      nullable: true,
      description: LOG_DESCRIPTIONS.idempotencyKey,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: LOG_DESCRIPTIONS.createdAt,
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: LOG_DESCRIPTIONS.updatedAt,
    }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: LOG_DESCRIPTIONS.deletedAt,
    }),
  }),
});
