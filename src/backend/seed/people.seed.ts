/**
 * Accounts, persons and their logs of the sample data. All names are invented. Most persons belong to an account by their
 * domain; some have none, or one that no account has. A few accounts have no person.
 */
import { DAY_MS, inTurn, MINUTE_MS, SAMPLE_END_MS, type SampleRow } from './example.ts';
import type { AccountRow, PersonRow, AccountLogRow } from '../database/tables.ts';

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

const FIRST_WORDS = wordsOf(`
  Harborlight Quillmere Fennwick Oskarra Tallowbridge Brightfen Marrowdale Pellingford Verdaloom
  Stonewick Lumenvale Copperreach`);
const LAST_WORDS = wordsOf('Logistics Software Foods Energy Health Robotics');
export const COMPANIES = LAST_WORDS.flatMap((last) =>
  FIRST_WORDS.map((first) => `${first} ${last}`),
);
export const ORCHARDS = wordsOf('Applegarth Pearmain Quinceley Damsonby').map(
  (first) => `${first} Orchards`,
);

const GIVEN_NAMES = wordsOf(`
  Ada Bastian Celine Dario Elif Farid Greta Hanno Imani Jonas Keiko Lucia Mateo Nadia Oluwaseun
  Priya Quentin Rosa Søren Tomasz`);
const FAMILY_NAMES = wordsOf(`
  Lindqvistova Okparanta Brandtmeier Castellonez Yildirimci Novakovska Hallorimm Tanizawa
  Ferreirinha Vandersteynen Abernathiel`);

/** Domains that no account has, and none. */
const OTHER_DOMAINS = ['freelance.example', null, 'mailbox.example', null, 'alumni.example', null];

/** @param offset place of the first person in the names, so that tenants share none. */
export function samplePeople(companies: readonly string[], offset: number) {
  const accounts = companies.map(sampleAccount);
  const domains = accounts.flatMap(({ domain }, index) =>
    Array<string>(personCount(index)).fill(domain),
  );
  const others = Array.from({ length: 30 }, (_, index) => inTurn(OTHER_DOMAINS, index));
  const persons = [...domains, ...others].map((domain, index) =>
    samplePerson(domain, index, index + offset),
  );
  const logsOf = (of: 'account' | 'person', id: string, owner: number, howMany: number) =>
    sampleLogs(owner, howMany).map((log, position) => ({
      ...log,
      [`${of}Id`]: id,
      [`${of}LogId`]: `${id.replace(of, `${of[0]}log`)}_${position + 1}`,
    }));
  return {
    accounts,
    persons,
    accountLogs: accounts.flatMap(({ accountId }, index) =>
      logsOf('account', accountId, index, index === 0 ? 30 : index % 6),
    ),
    personLogs: persons.flatMap(({ personId }, index) =>
      logsOf('person', personId, index, index === 0 ? 25 : index % 5),
    ),
  };
}

const personCount = (index: number): number =>
  index === 0 ? 12 : index % 8 === 7 ? 0 : index % 4 === 1 ? 3 : 2;

function sampleAccount(company: string, index: number): SampleRow<AccountRow> {
  const label = company.toLowerCase().replace(' ', '-');
  const createdAt = SAMPLE_END_MS - (300 - index) * DAY_MS;
  return {
    accountId: `account_${label.replace('-', '_')}`,
    domain: `${label}.example`,
    name: index % 16 === 15 ? null : company,
    createdAt,
    updatedAt: createdAt + index * DAY_MS,
  };
}

function samplePerson(domain: string | null, index: number, place: number): SampleRow<PersonRow> {
  const round = Math.floor(place / (GIVEN_NAMES.length * FAMILY_NAMES.length));
  const name = `${inTurn(GIVEN_NAMES, place)} ${inTurn(FAMILY_NAMES, place)}${round === 0 ? '' : ' II'}`;
  const slug = name.toLowerCase().replace('ø', 'o').replaceAll(' ', '-');
  const createdAt = SAMPLE_END_MS - 250 * DAY_MS + index * 1_000 * MINUTE_MS;
  return {
    personId: `person_${slug.replaceAll('-', '_')}`,
    name,
    email: domain === null || index % 9 === 8 ? null : `${slug}@${domain}`,
    domain,
    slug,
    phoneNumber: index % 2 === 0 ? `+1555${1_000_000 + place * 37}` : null,
    linkedinProfileUrl: index % 5 < 3 ? `https://network.example/in/${slug}` : null,
    createdAt,
    updatedAt: createdAt + (index % 40) * DAY_MS,
  };
}

type SampleLog = Omit<SampleRow<AccountLogRow>, 'accountId' | 'accountLogId'>;

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
const sampleLogs = (owner: number, howMany: number): SampleLog[] =>
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
