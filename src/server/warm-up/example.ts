/**
 * The queries of the warm-up, in the shapes of screens, and what its made-up backend answers.
 */
import { parametersOf, type Route } from '../../v0/routes.ts';
import { routeOf, sampleOf } from './sample.ts';

export const API_KEY = 'warm-up-key-0123456789';

export const QUERIES: readonly string[] = [
  `query Screen($id: ID!) {
    page(pageId: $id) { id pageId name title status createdAt metadata { title }
      audiences(first: 5) { totalCount pageInfo { hasNextPage endCursor }
        edges { cursor node { id audienceId effectiveName status
          latestVersion { versionNumber status createdAt }
          publishedVersion { versionNumber publishedAt }
          person { id name email logs(first: 2) { nodes { source type createdAt } } } } } } }
  }`,
  `query Lookup($id: ID!) { page(pageId: $id) { pageId name title pageType status } }`,
  `query List($id: ID!) {
    persons(first: 5) { nodes { personId name email } pageInfo { hasNextPage } }
    page(pageId: $id) { ...Named }
  }
  fragment Named on Page { __typename id name }`,
];

/** Stands for the id in the path, so that one sample a route is enough. */
const ASKED = '@';

const samples = new Map<Route, string>();

/** What the backend answers a GET, in JSON; the objects of a page are its own. */
export function answerOf(target: string): string {
  const { route, values } = routeOf({ method: 'GET', target })!; // the queries lead to documented routes
  let text = samples.get(route);
  if (text === undefined) {
    const asked = Object.fromEntries(parametersOf(route.path).map((name) => [name, ASKED]));
    text = JSON.stringify(sampleOf(route, asked, { items: 3, idPrefix: `${ASKED}-` }));
    samples.set(route, text);
  }
  return text.replaceAll(ASKED, Object.values(values)[0] ?? 'none');
}
