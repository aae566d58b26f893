/** Log entries of the sample data: what happened, from where, with payloads of many shapes. */
import { DAY_MS, MINUTE_MS, SAMPLE_END_MS } from './random.seed.ts';
import type { Random, SampleRow } from './random.seed.ts';
import type { AccountLogRow } from '../database/tables.ts';

type SampleLog = Omit<SampleRow<AccountLogRow>, 'accountId' | 'accountLogId'>;

/** Makes so many log entries, oldest first; about one in eight was deleted later. */
export const sampleLogs = (random: Random, howMany: number): SampleLog[] =>
  Array.from({ length: howMany }, (_, index) => {
    const [event, payload] = random.pick(Object.entries(EVENTS));
    const [source = '', type = ''] = event.split(' ');
    const createdAt =
      SAMPLE_END_MS - (howMany - index) * 3 * DAY_MS + random.int(0, 2_000) * MINUTE_MS;
    const deleted = random.chance(0.12);
    const changed = deleted || random.chance(0.2);
    const changedAt = createdAt + random.int(1, 600) * MINUTE_MS;
    return {
      source,
      type,
      payload: payload(random),
      idempotencyKey: random.chance(0.4) ? `${source}:${random.int(100_000, 999_999)}` : null,
      createdAt,
      updatedAt: changed ? changedAt : null,
      deletedAt: deleted ? changedAt : null,
    };
  });

/** By source and type. */
const EVENTS: Readonly<Record<string, (random: Random) => Record<string, unknown>>> = {
  'web page-viewed': (random) => ({
    path: random.pick(['/welcome', '/pricing', '/start', '/demo']),
    seconds: random.int(3, 400),
    referrer: random.chance(0.5) ? null : { host: 'search.example', campaign: 'autumn' },
  }),
  'web form-submitted': (random) => ({
    form: 'contact',
    fields: { topic: random.pick(['pricing', 'support']), seats: random.int(1, 500) },
    consent: random.chance(0.8),
  }),
  'email email-opened': (random) => ({
    subject: 'Your tailored page is ready',
    opens: random.int(1, 9),
  }),
  'calendar-sync meeting-booked': (random) => ({
    meeting: {
      title: random.pick(['Intro call', 'Product tour', 'Quarterly review']),
      minutes: random.pick([15, 30, 45]),
      attendees: [{ role: 'host' }, { role: 'guest', confirmed: random.chance(0.7) }],
    },
  }),
  'crm stage-changed': (random) => ({
    from: 'discovery',
    to: random.pick(['evaluation', 'proposal', 'closed-won']),
    amount: { value: random.int(10, 900) * 100, currency: 'EUR' },
  }),
  'crm note-added': () => ({ text: 'Asked for a security questionnaire.', tags: ['security'] }),
  'sales-call call-ended': (random) => ({ minutes: random.int(2, 55), transcript: null }),
  'import record-merged': () => ({}),
};
