/**
 * What logs of persons, logs of accounts and activity have in common.
 *
 * Every field is nullable here, because all of an activity item may be absent.
 */
import { builder } from '../../graph/types/builder.ts';

export interface LogEntry {
  readonly source?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly payload?: Record<string, unknown> | null | undefined;
  readonly idempotencyKey?: string | null | undefined;
  readonly createdAt?: string | null | undefined;
  readonly updatedAt?: string | null | undefined;
  readonly deletedAt?: string | null | undefined;
}

/** What the fields mean, wherever they stand. */
export const LOG_DESCRIPTIONS = {
  source: 'Where it was recorded, such as `crm`.',
  type: 'What happened, such as `note-added`.',
  payload: 'What is to be known about it.',
  idempotencyKey: 'The key under which it was recorded once.',
  createdAt: 'When it was recorded.',
  updatedAt: 'When it last changed; null when it never did.',
  deletedAt: 'When it was deleted; null while it is not.',
} as const;

export const LogEntryRef = builder.interfaceRef<LogEntry>('LogEntry');

builder.interfaceType(LogEntryRef, {
  description: 'Something that happened: a log of a person or an account, or an activity.',
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
