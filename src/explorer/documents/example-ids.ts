/** Ids for the examples, found by queries to the gateway. */
import { readApiKey } from '../exchange/api-key.ts';
import type { Ask } from '../exchange/request.ts';

/** Ids of objects that exist. Null if the backend has none, or does not respond. */
export interface ExampleIds {
  readonly pageId: string | null;
  readonly accountId: string | null;
  /** Global ids of up to a hundred persons. */
  readonly personIds: readonly string[];
  readonly topicId: string | null;
  /** The global id of a version, a draft if there is one. */
  readonly versionId: string | null;
}

const FIRST = /* GraphQL */ `
  query ExampleIds {
    searchPages(query: "", first: 1) {
      pageId
    }
    accounts(first: 1) {
      nodes {
        accountId
      }
    }
    persons(first: 100) {
      nodes {
        id
      }
    }
    topics(first: 1) {
      nodes {
        topicId
      }
    }
  }
`;

const VERSIONS = /* GraphQL */ `
  query ExampleVersions($pageId: ID!) {
    page(pageId: $pageId) {
      audiences(first: 100) {
        nodes {
          latestVersion {
            id
            status
          }
        }
      }
    }
  }
`;

interface First {
  readonly searchPages: readonly { readonly pageId: string }[] | null;
  readonly accounts: Nodes<{ readonly accountId: string }>;
  readonly persons: Nodes<{ readonly id: string }>;
  readonly topics: Nodes<{ readonly topicId: string }>;
}
interface Versions {
  readonly page: {
    readonly audiences: Nodes<{
      readonly latestVersion: { readonly id: string; readonly status: string | null } | null;
    }>;
  } | null;
}
type Nodes<Node> = { readonly nodes: readonly Node[] } | null;

/** @param isFresh queries again, for a draft that is not published yet. */
export type FindIds = (isFresh?: boolean) => Promise<ExampleIds>;

/** Queries once per API key, since callers may see different objects; again after finding nothing. */
export function idFinder(ask: Ask, knownPageId: string | undefined): FindIds {
  let found: { readonly key: string; readonly ids: Promise<ExampleIds> } | undefined;
  return async (isFresh = false) => {
    const key = readApiKey();
    if (isFresh || found?.key !== key) found = { key, ids: findExampleIds(ask, knownPageId) };
    const query = found;
    const ids = await query.ids;
    if (ids.accountId === null && ids.topicId === null && found === query) found = undefined;
    return ids;
  };
}

/** @param known the id of a page that exists. */
export async function findExampleIds(ask: Ask, known?: string): Promise<ExampleIds> {
  const first = await ask<First>(FIRST);
  const pageId = known ?? first?.searchPages?.[0]?.pageId ?? null;
  const versions = pageId === null ? undefined : await ask<Versions>(VERSIONS, { pageId });
  const latest = (versions?.page?.audiences?.nodes ?? []).flatMap(
    ({ latestVersion }) => latestVersion ?? [],
  );
  const version = latest.find(({ status }) => status === 'draft') ?? latest[0];
  return {
    pageId,
    accountId: first?.accounts?.nodes[0]?.accountId ?? null,
    personIds: first?.persons?.nodes.map(({ id }) => id) ?? [],
    topicId: first?.topics?.nodes[0]?.topicId ?? null,
    versionId: version?.id ?? null,
  };
}
