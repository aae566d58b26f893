/**
 * What the static upstream answers.
 *
 * Every answer is checked against the route table when it is made, so a contract that changes
 * makes the benchmark fail instead of measuring something else.
 */
import { routes, type RouteName } from '../../src/v0/routes.ts';
import { CALLERS, pageIdOf } from './queries.ts';
import {
  account,
  accountIdOf,
  activityItem,
  audience,
  AUDIENCES,
  counting,
  page,
  person,
  personIdOf,
  personLog,
  PERSONS,
} from './tenant.ts';

const ACCOUNTS = 2;
const ACTIVITY = 10;
const LOGS = 5;

/** JSON answers by path: `/v0/pages/page_0001`. The query string makes no difference. */
export type Answers = ReadonlyMap<string, string>;

/** @throws {ZodError} when an answer is not what its route promises. */
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
