/**
 * The queries of the warm-up, and what its made-up backend answers: the shapes of screens, with few bytes.
 */

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

const SINCE = '2026-01-01T00:00:00Z';
const ITEMS = 5;

/** @param url of a GET: its path decides. */
export function answerOf(url: string): unknown {
  const [, , kind, id = '', list] = url.split('?')[0]!.split('/');
  if (kind === 'pages') return list ? listOf((i) => audience(id, i)) : page(id);
  if (list) return listOf((i) => log(id, i));
  return id ? person(id) : listOf((i) => person(`person_${i}`));
}

const listOf = (item: (i: number) => unknown) => ({
  items: Array.from({ length: ITEMS }, (_, i) => item(i)),
  hasMore: false,
  nextCursor: null,
  totalCount: ITEMS,
});

const page = (pageId: string) => ({
  pageId,
  name: `Name of ${pageId}`,
  title: 'Title',
  brandId: 'brand',
  pageContext: 'Context',
  pageType: 'inbound',
  status: 'published',
  actions: [],
  actionCardWidgets: [],
  scripts: [],
  footerLinks: [],
  audiencesCount: ITEMS,
  archivedAt: null,
  deletedAt: null,
  createdAt: SINCE,
  updatedAt: SINCE,
  headerActionId: null,
  metadata: null,
});

const audience = (pageId: string, i: number) => {
  const audienceId = `${pageId}_audience_${i}`;
  return {
    audienceId,
    pageId,
    computedName: 'Computed',
    customName: null,
    effectiveName: `Audience ${i}`,
    isNewPageAgent: false,
    personId: `${pageId}_person_${i}`,
    personRouteKey: null,
    status: 'published',
    supplementaryContext: null,
    actionFormIdOverride: null,
    actionFormInstructionsOverride: null,
    actionUrlOverride: null,
    archivedAt: null,
    createdAt: SINCE,
    latestVersion: version(audienceId, 2),
    publishedVersion: version(audienceId, 1),
    effectiveMetadata: null,
    metadataOverride: null,
  };
};

const version = (audienceId: string, versionNumber: number) => ({
  versionId: `${audienceId}_version_${versionNumber}`,
  audienceId,
  versionNumber,
  status: 'published',
  isNewPageAgent: false,
  supplementaryContext: null,
  queueDurationMs: null,
  createdAt: SINCE,
  becameDraftAt: SINCE,
  queuedAt: SINCE,
  publishedAt: SINCE,
  cancelledAt: null,
  obsoleteAt: null,
  archivedAt: null,
});

const person = (personId: string) => ({
  personId,
  name: `Person ${personId}`,
  email: `${personId}@example.com`,
  domain: 'example.com',
  slug: personId,
  phoneNumber: null,
  linkedinProfileUrl: null,
  createdAt: SINCE,
  updatedAt: SINCE,
});

const log = (personId: string, i: number) => ({
  personLogId: `${personId}_log_${i}`,
  personId,
  source: 'api',
  type: 'note',
  payload: {},
  idempotencyKey: null,
  createdAt: SINCE,
  updatedAt: null,
  deletedAt: null,
});
