/**
 * What is called: seven queries, from nothing to a hundred calls, and the callers that send them.
 *
 * Raw ids only, so that responses of different servers can be compared byte by byte: global ids and
 * cursors are opaque, and every server writes its own.
 */

export interface BenchQuery {
  readonly name: string;
  readonly what: string;
  readonly text: string;
  readonly takesPage: boolean;
  /** REST calls of a server that reads nothing twice. */
  readonly calls: number;
  /** Rounds that the graph's shape requires, when everything begins as soon as it can. */
  readonly rounds: number;
}

/** Pages, and callers: caller `i` has its own key and requests page `i`. */
export const CALLERS = 50;

/** The query that stands for a frontend's nested screen. */
export const SCREEN = 'q2';

/** In a document, what a load replaces by another name in each request, so that no text comes twice. */
export const NEW_NAME = 'New00000000000000';

export const QUERIES: readonly BenchQuery[] = [
  query('q0', 'no call', '{ __typename }', { calls: 0, rounds: 0 }),
  query(
    'q1',
    'one page, five fields',
    'query Q1($id: ID!) { page(pageId: $id) { pageId name title pageType status } }',
    { calls: 1, rounds: 1 },
  ),
  query(
    'q2',
    'page, 20 audiences with two versions, 10 persons',
    `query Q2($id: ID!) { page(pageId: $id) { name title audiences(first: 20) { totalCount nodes {
       audienceId effectiveName status
       latestVersion { versionNumber status createdAt }
       publishedVersion { versionNumber status publishedAt }
       person { personId name email } } } } }`,
    { calls: 12, rounds: 2 },
  ),
  query(
    'q3',
    'a list of 100 persons',
    `{ persons(first: 100) { nodes { personId name email domain slug phoneNumber createdAt }
       pageInfo { hasNextPage } } }`,
    { calls: 1, rounds: 1 },
  ),
  query(
    'q4',
    '100 persons, 5 logs each',
    `{ persons(first: 100) { nodes { personId name
       logs(first: 5) { nodes { personLogId source type createdAt } } } } }`,
    { calls: 101, rounds: 2 },
  ),
  query(
    'q5',
    '2 accounts, 10 activity items each, 10 persons',
    `{ accounts(first: 2) { nodes { accountId name activity(first: 10) { nodes {
       activityId type createdAt person { personId name } } } } } }`,
    { calls: 13, rounds: 3 },
  ),
  query(
    'q6',
    'one page, by a document never seen before',
    `query ${NEW_NAME}($id: ID!) { page(pageId: $id) { name title } }`,
    { calls: 1, rounds: 1 },
  ),
];

export interface GraphQLRequest {
  readonly apiKey: string;
  /** JSON of `query` and `variables`. */
  readonly body: string;
}

export const pageIdOf = (i: number): string => `page_${number(i)}`;

/** An id's number, always four digits long: equal queries then have responses of equal length. */
export const number = (i: number): string => String(i).padStart(4, '0');

/**
 * One request a caller.
 *
 * @param callers how many keys there are; 1 lets a server share calls between all requests.
 */
export function requestsOf(asked: BenchQuery, callers: number): readonly GraphQLRequest[] {
  return Array.from({ length: CALLERS }, (_, i) => ({
    apiKey: `caller_${number(i % callers)}`,
    body: JSON.stringify({
      query: asked.text,
      ...(asked.takesPage && { variables: { id: pageIdOf(i) } }),
    }),
  }));
}

function query(
  name: string,
  what: string,
  text: string,
  { calls, rounds }: { calls: number; rounds: number },
): BenchQuery {
  const oneLine = text.replace(/\s+/g, ' ');
  return { name, what, text: oneLine, takesPage: text.includes('$id'), calls, rounds };
}
