/** The queries and mutations of the client, with variables; test/live has the subscriptions. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { getOperationAST, OperationTypeNode } from 'graphql';
import * as client from '../../src/client/generated/graphql.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Objects of a backend, and words that its searches find. */
export interface KnownObjects {
  readonly accountId: string;
  readonly pageId: string;
  /** Global ids of an audience version, and of one that can be published. */
  readonly version: string;
  readonly draft: string;
  readonly words: { readonly account: string; readonly page: string };
  /** Audiences to read at a time, fewer than the page has. */
  readonly pageSize: number;
}

/**
 * Each document with its name and its variables.
 *
 * @throws if a document has no variables here, or variables have no document.
 */
export function clientDocuments({
  accountId,
  pageId,
  version,
  draft,
  words,
  pageSize,
}: KnownObjects): (readonly [name: string, TypedDocumentNode<any, any>, Variables])[] {
  const variables: Readonly<Record<string, Variables>> = {
    AccountWithPersons: { accountId, first: 3 },
    Accounts: { query: words.account, first: 5 },
    CreateAudience: { input: { pageId, publishBehavior: 'draft' } },
    PageLinks: { pageId, first: 5 },
    PageWithAudiences: { pageId, first: 5 },
    PagingAudiences: { pageId, first: pageSize },
    PublishVersion: { input: { id: draft } },
    SearchPages: { query: words.page },
    Topics: { first: 5 },
    Version: { id: version },
  };
  const documents = Object.entries(client).flatMap(([exported, value]) => {
    if (!exported.endsWith('Document')) return [];
    const document = value as TypedDocumentNode<any, any>;
    const isLive = getOperationAST(document)?.operation === OperationTypeNode.SUBSCRIPTION;
    return isLive ? [] : [[exported.replace(/Document$/, ''), document] as const];
  });
  const [names, known] = [documents.map(([name]) => name), Object.keys(variables)];
  const odd = [...names, ...known].filter((name) => !names.includes(name) || !known.includes(name));
  if (odd.length > 0) throw new Error(`Documents without variables, or the reverse: ${odd.join()}`);
  return documents.map(([name, document]) => [name, document, variables[name]!]);
}
