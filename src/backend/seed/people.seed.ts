/**
 * Accounts, persons and their logs of the sample data. All names are invented. Most persons belong to an account by their
 * domain; some have none, or one that no account has. A few accounts have no person.
 */
import { sampleLogs } from './logs.seed.ts';
import { DAY_MS, MINUTE_MS, SAMPLE_END_MS } from './random.seed.ts';
import type { Random, SampleRow } from './random.seed.ts';
import type { AccountRow, PersonRow } from '../database/tables.ts';

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

const FIRST_WORDS = wordsOf(`
  Harborlight Quillmere Fennwick Oskarra Tallowbridge Brightfen Marrowdale Pellingford Verdaloom
  Stonewick Lumenvale Copperreach`);
const LAST_WORDS = ['Logistics', 'Software', 'Foods', 'Energy', 'Health', 'Robotics'];

const ORCHARD_WORDS = ['Applegarth', 'Pearmain', 'Quinceley', 'Damsonby'];

const GIVEN_NAMES = wordsOf(`
  Ada Bastian Celine Dario Elif Farid Greta Hanno Imani Jonas Keiko Lucia Mateo Nadia Oluwaseun
  Priya Quentin Rosa Søren Tomasz`);
const FAMILY_NAMES = wordsOf(`
  Lindqvistova Okparanta Brandtmeier Castellonez Yildirimci Novakovska Hallorimm Tanizawa
  Ferreirinha Vandersteynen Abernathiel`);

/** Domains that no account has. */
const STRAY_DOMAINS = ['freelance.example', 'mailbox.example', 'alumni.example'];

const SCALES = {
  large: { perAccount: 2, generous: 12, lonely: 15, stray: 15 },
  small: { perAccount: 1, generous: 3, lonely: 1, stray: 1 },
} as const;
export type Scale = keyof typeof SCALES;

export function samplePeople(scale: Scale, random: Random) {
  const accounts = sampleAccounts(scale, random);
  const persons = samplePersons(scale, accounts, random);
  const logsOf = (of: 'account' | 'person', id: string, howMany: number) =>
    sampleLogs(random, howMany).map((log, position) => ({
      ...log,
      [`${of}Id`]: id,
      [`${of}LogId`]: `${id.replace(of, `${of[0]}log`)}_${position + 1}`,
    }));
  return {
    accounts,
    persons,
    accountLogs: accounts.flatMap(({ accountId }, index) =>
      logsOf('account', accountId, index % 6 === 5 ? 0 : index === 0 ? 30 : random.int(2, 9)),
    ),
    personLogs: persons.flatMap(({ personId }, index) =>
      logsOf('person', personId, index % 4 === 3 ? 0 : index === 0 ? 25 : random.int(1, 6)),
    ),
  };
}

function sampleAccounts(scale: Scale, random: Random): SampleRow<AccountRow>[] {
  const names =
    scale === 'large'
      ? LAST_WORDS.flatMap((last) => FIRST_WORDS.map((first) => [first, last] as const))
      : ORCHARD_WORDS.map((first) => [first, 'Orchards'] as const);
  return names.map(([first, last], index) => {
    const label = `${first}-${last}`.toLowerCase();
    const createdAt = SAMPLE_END_MS - 300 * DAY_MS + index * DAY_MS;
    return {
      accountId: `account_${label.replace('-', '_')}`,
      domain: `${label}.example`,
      name: index % 16 === 15 ? null : `${first} ${last}`,
      createdAt,
      updatedAt: createdAt + random.int(0, 90) * DAY_MS,
    };
  });
}

function samplePersons(
  scale: Scale,
  accounts: readonly SampleRow<AccountRow>[],
  random: Random,
): SampleRow<PersonRow>[] {
  const { perAccount, generous, lonely, stray } = SCALES[scale];
  const domains = accounts.flatMap(({ domain }, index): (string | null)[] => {
    if (index === 0) return Array<string>(generous).fill(domain);
    if (index % 8 === 7) return [];
    return Array<string>(perAccount + (index % 4 === 1 ? 1 : 0)).fill(domain);
  });
  const others = [
    ...Array<null>(lonely).fill(null),
    ...Array.from({ length: stray }, () => random.pick(STRAY_DOMAINS)),
  ];
  // The second tenant starts elsewhere in the names, so that the two share no person.
  const offset = scale === 'large' ? 0 : 205;
  return [...domains, ...others].map((domain, index): SampleRow<PersonRow> => {
    const place = index + offset;
    const given = GIVEN_NAMES[place % GIVEN_NAMES.length] ?? '';
    const family = FAMILY_NAMES[place % FAMILY_NAMES.length] ?? '';
    const round = Math.floor(place / (GIVEN_NAMES.length * FAMILY_NAMES.length));
    const name = round === 0 ? `${given} ${family}` : `${given} ${family} ${'I'.repeat(round + 1)}`;
    const slug = name
      .toLowerCase()
      .replaceAll('ø', 'o')
      .replaceAll(/[^a-z]+/g, '-');
    const createdAt = SAMPLE_END_MS - 250 * DAY_MS + index * 1_000 * MINUTE_MS;
    return {
      personId: `person_${slug.replaceAll('-', '_')}`,
      name,
      email: domain === null || index % 9 === 8 ? null : `${slug}@${domain}`,
      domain,
      slug,
      phoneNumber: random.chance(0.5) ? `+1555${String(1_000_000 + place * 37)}` : null,
      linkedinProfileUrl: random.chance(0.6) ? `https://network.example/in/${slug}` : null,
      createdAt,
      updatedAt: createdAt + random.int(0, 40) * DAY_MS,
    };
  });
}
