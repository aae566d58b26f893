/**
 * What the static upstream returns: a small tenant, made by counting and never by chance.
 *
 * Pages are as large as real ones: what a server reads and throws away is part of its cost. Every response is checked
 * against the route table when it is made, so a contract that changes makes the benchmark fail instead of measuring
 * something else.
 */
import { routes, type RouteName } from '../../src/v0/routes.ts';
import { CALLERS, number, pageIdOf } from './queries.ts';

const AUDIENCES = 20;
const PERSONS = 100;
const PERSONS_A_PAGE = 10;
const ACCOUNTS = 2;
const ACTIVITY = 10;
const LOGS = 5;

const counting = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const personIdOf = (i: number): string => `person_${number(i)}`;
const accountIdOf = (i: number): string => `account_${number(i)}`;

/** ISO 8601, so that servers which pass timestamps on unchanged return the same as ours. */
const moment = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 5, 8) + minutes * 60_000).toISOString();

const page = (i: number) => ({
  pageId: pageIdOf(i),
  name: `Autumn offer ${number(i)}`,
  title: `What changes this autumn, part ${number(i)}`,
  brandId: 'brand_0001',
  pageContext: 'For readers who saw the spring page and asked for a second look. '.repeat(6),
  pageType: 'inbound',
  status: 'published',
  actions: counting(3).map((j) => ({
    actionId: `action_${number(j)}`,
    actionIndex: j,
    purpose: 'Book a conversation with the team that knows this topic best.',
    buttonTitle: 'Book now',
    actionType: 'link',
    url: `https://example.com/book/${number(j)}`,
  })),
  actionCardWidgets: [{ type: 'logos', title: 'Trusted by', logos: [logo(0), logo(1)] }],
  scripts: [
    { content: 'window.example = true;', enabled: true, name: 'example', description: null },
  ],
  footerLinks: counting(2).map((j) => ({
    id: `group_${number(j)}`,
    title: 'Company',
    links: counting(4).map((k) => ({
      id: `link_${number(k)}`,
      text: `Read more ${k}`,
      url: `https://example.com/more/${number(k)}`,
    })),
  })),
  audiencesCount: AUDIENCES,
  archivedAt: null,
  deletedAt: null,
  createdAt: moment(i),
  updatedAt: moment(i + 90),
  headerActionId: 'action_0000',
  metadata: metadata(i),
});

const logo = (i: number) => ({
  image: { altText: 'A logo', url: `https://example.com/logo/${i}.png`, fileId: null },
});

const metadata = (i: number) => ({
  title: `Autumn offer ${number(i)}`,
  description: 'What changes this autumn and why it may matter to you.',
  canonicalUrl: `https://example.com/${number(i)}`,
  ogTitle: `Autumn offer ${number(i)}`,
  ogDescription: 'What changes this autumn and why it may matter to you.',
  ogSiteName: 'Example',
  keywords: ['autumn', 'offer'],
  robots: ['index', 'follow'],
});

const audience = (i: number, j: number) => ({
  audienceId: `audience_${number(i)}_${number(j)}`,
  pageId: pageIdOf(i),
  computedName: `Audience ${number(j)}`,
  customName: null,
  effectiveName: `Audience ${number(j)} of ${number(i)}`,
  isNewPageAgent: false,
  personId: personIdOf((i * 7 + (j % PERSONS_A_PAGE)) % PERSONS),
  personRouteKey: `route-${number(j)}`,
  status: 'published',
  supplementaryContext: 'Met at the spring fair; asked about prices and delivery.',
  actionFormIdOverride: null,
  actionFormInstructionsOverride: null,
  actionUrlOverride: null,
  archivedAt: null,
  createdAt: moment(i + j),
  latestVersion: version(i, j, 2),
  publishedVersion: version(i, j, 1),
  effectiveMetadata: metadata(i),
  metadataOverride: null,
});

const version = (i: number, j: number, versionNumber: number) => ({
  versionId: `version_${number(i)}_${number(j)}_${versionNumber}`,
  audienceId: `audience_${number(i)}_${number(j)}`,
  versionNumber,
  status: versionNumber === 1 ? 'published' : 'draft',
  isNewPageAgent: false,
  supplementaryContext: null,
  queueDurationMs: versionNumber === 1 ? 1250.5 : null,
  createdAt: moment(i + j),
  becameDraftAt: moment(i + j),
  queuedAt: versionNumber === 1 ? moment(i + j + 1) : null,
  publishedAt: versionNumber === 1 ? moment(i + j + 2) : null,
  cancelledAt: null,
  obsoleteAt: null,
  archivedAt: null,
});

const person = (i: number) => ({
  personId: personIdOf(i),
  name: `Robin Example ${number(i)}`,
  email: `robin.${number(i)}@example.com`,
  domain: 'example.com',
  slug: `robin-example-${number(i)}`,
  phoneNumber: `+1555000${number(i)}`,
  linkedinProfileUrl: null,
  createdAt: moment(i),
  updatedAt: moment(i + 60),
});

const logOf = (j: number) => ({
  source: 'web',
  type: 'page-viewed',
  payload: { path: `/autumn/${j}`, seconds: 10 + j },
  idempotencyKey: null,
  createdAt: moment(j),
  updatedAt: null,
  deletedAt: null,
});

const personLog = (i: number, j: number) => ({
  personId: personIdOf(i),
  personLogId: `log_${number(i)}_${number(j)}`,
  ...logOf(j),
});

const account = (i: number) => ({
  accountId: accountIdOf(i),
  domain: `example-${i}.com`,
  name: `Example ${i}`,
  createdAt: moment(i),
  updatedAt: moment(i + 60),
  latestActivityAt: moment(i + 60),
  linkedPersonsCount: PERSONS,
});

const activityItem = (i: number, j: number) => ({
  activityId: `activity_${number(i)}_${number(j)}`,
  activityType: 'person_log',
  accountId: accountIdOf(i),
  accountLogId: null,
  personId: personIdOf(j),
  personLogId: `log_${number(j)}_0000`,
  personName: `Robin Example ${number(j)}`,
  ...logOf(j),
});

/** JSON responses by path: `/v0/pages/page_0001`. The query string makes no difference. */
export type Answers = ReadonlyMap<string, string>;

/** @throws {ZodError} when a response is not what its route promises. */
export function makeAnswers(): Answers {
  const answers = new Map<string, string>();
  const add = (route: RouteName, path: string, answer: unknown): void => {
    routes[route].response.parse(answer);
    answers.set(path, JSON.stringify(answer));
  };
  for (const i of counting(CALLERS)) {
    add('getPage', `/v0/pages/${pageIdOf(i)}`, page(i));
    const audiences = counting(AUDIENCES).map((j) => audience(i, j));
    add('listAudiences', `/v0/pages/${pageIdOf(i)}/audiences`, list(audiences));
  }
  for (const i of counting(PERSONS)) {
    add('getPerson', `/v0/persons/${personIdOf(i)}`, person(i));
    const logs = counting(LOGS).map((j) => personLog(i, j));
    add('listPersonLogs', `/v0/persons/${personIdOf(i)}/logs`, list(logs));
  }
  const persons = counting(PERSONS).map(person);
  add('listPersons', '/v0/persons', { ...list(persons), totalCount: null });
  add('listAccounts', '/v0/accounts', list(counting(ACCOUNTS).map(account)));
  for (const i of counting(ACCOUNTS)) {
    const items = counting(ACTIVITY).map((j) => activityItem(i, j));
    add('listActivity', `/v0/accounts/${accountIdOf(i)}/activity`, list(items));
  }
  return answers;
}

const list = (items: readonly unknown[]) => ({
  items,
  hasMore: false,
  nextCursor: null,
  totalCount: items.length,
});
