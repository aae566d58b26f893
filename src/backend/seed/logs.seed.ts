/** Log entries of the sample data: what happened, from where, with payloads of many shapes. */
import { DAY_MS, inTurn, MINUTE_MS, SAMPLE_END_MS, type SampleRow } from './sample-row.ts';
import type { AccountLogRow } from '../database/tables.ts';

type SampleLog = Omit<SampleRow<AccountLogRow>, 'accountId' | 'accountLogId'>;

/** Payloads by source and type. */
const EVENTS = Object.entries<Record<string, unknown>>({
  'web page-viewed': { path: '/pricing', seconds: 42, referrer: { host: 'search.example' } },
  'web form-submitted': { fields: { topic: 'support', seats: 250 }, consent: true },
  'email email-opened': { subject: 'Your tailored page is ready', opens: 3 },
  'calendar-sync meeting-booked': {
    meeting: { title: 'Product tour', attendees: [{ role: 'host' }, { role: 'guest' }] },
  },
  'crm stage-changed': { to: 'closed-won', amount: { value: 12_500, currency: 'EUR' } },
  'crm note-added': { text: 'Asked for a security questionnaire.', tags: ['security'] },
  'sales-call call-ended': { minutes: 20, transcript: null },
  'import record-merged': {},
});

/** Makes so many log entries of an owner, oldest first; one in seven was deleted later. */
export const sampleLogs = (owner: number, howMany: number): SampleLog[] =>
  Array.from({ length: howMany }, (_, index) => {
    const number = owner + index;
    const [event, payload] = inTurn(EVENTS, number);
    const [source = '', type = ''] = event.split(' ');
    const createdAt =
      SAMPLE_END_MS - (howMany - index) * 3 * DAY_MS + ((number * 337) % 2_000) * MINUTE_MS;
    const deleted = number % 7 === 3;
    const changedAt = createdAt + 90 * MINUTE_MS;
    return {
      source,
      type,
      payload,
      idempotencyKey: number % 5 < 2 ? `${source}:${100_000 + number}` : null,
      createdAt,
      updatedAt: deleted || number % 5 === 0 ? changedAt : null,
      deletedAt: deleted ? changedAt : null,
    };
  });
