/**
 * Accounts, persons and their logs of the sample data. All names are invented. Most persons belong to an account by their
 * domain; others have none, or one that no account has. A few accounts have no person.
 */
import { DAY_MS, inTurn, MINUTE_MS, SAMPLE_END_MS, type SampleRow } from './example.ts';
import type { AccountRow, PersonRow, AccountLogRow } from '../database/tables.ts';
import sample from './sample.json' with { type: 'json' };

const { givenNames, familyNames, otherDomains, events } = sample;

/** @param offset place of the first person in the names, so that tenants share none. */
export function samplePeople(companies: readonly string[], offset: number) {
  const accounts = companies.map(sampleAccount);
  const domains = accounts.flatMap(({ domain }, index) =>
    Array<string>(personCount(index)).fill(domain),
  );
  const others = Array.from({ length: 30 }, (_, index) => inTurn(otherDomains, index));
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
  const round = Math.floor(place / (givenNames.length * familyNames.length));
  const name = `${inTurn(givenNames, place)} ${inTurn(familyNames, place)}${round === 0 ? '' : ' II'}`;
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

/** Makes so many log entries of an owner, oldest first; one in seven was deleted later. */
const sampleLogs = (owner: number, howMany: number): SampleLog[] =>
  Array.from({ length: howMany }, (_, index) => {
    const number = owner + index;
    const { source, type, payload } = inTurn(events, number);
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
