/**
 * Ids that examples are about: found by asking the gateway, whatever backend it stands before.
 */
import { ENDPOINT, requestHeaders } from '../exchange/request.ts';
import type { Settings } from '../settings.ts';

/** What examples name. Null where the backend has none, or does not answer. */
export interface ExampleIds {
  readonly pageId: string | null;
  readonly accountId: string | null;
  readonly personId: string | null;
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
    persons(first: 1) {
      nodes {
        personId
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
      audiences(first: 20) {
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
  readonly persons: Nodes<{ readonly personId: string }>;
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

export async function findExampleIds({ pageId: known }: Settings): Promise<ExampleIds> {
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
    personId: first?.persons?.nodes[0]?.personId ?? null,
    topicId: first?.topics?.nodes[0]?.topicId ?? null,
    versionId: version?.id ?? null,
  };
}

/** The data, in part if need be; undefined when there is none. */
async function ask<Data>(query: string, variables = {}): Promise<Data | undefined> {
  try {
    const body = JSON.stringify({ query, variables });
    const response = await fetch(ENDPOINT, { method: 'POST', headers: requestHeaders(), body });
    const { data } = (await response.json()) as { readonly data?: Data | null };
    return data ?? undefined;
  } catch {
    return undefined;
  }
}
