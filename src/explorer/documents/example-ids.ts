/** Ids for the examples, found by a query to the gateway. */
import { readApiKey } from '../exchange/api-key.ts';
import type { Ask } from '../exchange/request.ts';
import query from './example-ids.graphql?raw';

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

interface Found {
  readonly page?: Page | null;
  readonly searchPages?: readonly SearchHit[] | null;
  readonly accounts: Nodes<{ readonly accountId: string }>;
  readonly persons: Nodes<{ readonly id: string }>;
  readonly topics: Nodes<{ readonly topicId: string }>;
}
interface SearchHit {
  readonly pageId: string;
  readonly page?: Page | null;
}
interface Page {
  readonly audiences: Nodes<{
    readonly latestVersion: { readonly id: string; readonly status: string | null } | null;
  }>;
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
    const latest = found;
    const ids = await latest.ids;
    if (ids.accountId === null && ids.topicId === null && found === latest) found = undefined;
    return ids;
  };
}

/** @param known the id of a page that exists. */
export async function findExampleIds(ask: Ask, known?: string): Promise<ExampleIds> {
  const found = await ask<Found>(query, { pageId: known, isKnown: known !== undefined });
  const hit = found?.searchPages?.[0];
  const page = found?.page ?? hit?.page;
  const latest = (page?.audiences?.nodes ?? []).flatMap(({ latestVersion }) => latestVersion ?? []);
  const version = latest.find(({ status }) => status === 'draft') ?? latest[0];
  return {
    pageId: known ?? hit?.pageId ?? null,
    accountId: found?.accounts?.nodes[0]?.accountId ?? null,
    personIds: found?.persons?.nodes.map(({ id }) => id) ?? [],
    topicId: found?.topics?.nodes[0]?.topicId ?? null,
    versionId: version?.id ?? null,
  };
}
