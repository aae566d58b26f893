/* eslint-disable */
import * as types from './graphql.ts';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
  'query AccountWithPersons($accountId: ID!, $first: Int = 10) {\n  account(accountId: $accountId) {\n    id\n    accountId\n    name\n    domain\n    linkedPersonsCount\n    latestActivityAt\n    persons(first: $first) {\n      totalCount\n      nodes {\n        ...PersonSummary\n        logs(first: 3) {\n          nodes {\n            id\n            personLogId\n            type\n            source\n            createdAt\n            payload\n          }\n        }\n      }\n    }\n    logs(first: $first) {\n      nodes {\n        id\n        accountLogId\n        type\n        source\n        createdAt\n        payload\n      }\n    }\n    activity(first: $first, includePersonActivity: true) {\n      nodes {\n        activityId\n        type\n        createdAt\n        person {\n          id\n          personId\n          name\n        }\n      }\n    }\n  }\n}': typeof types.AccountWithPersonsDocument;
  'query Accounts($query: String, $first: Int!, $after: String) {\n  accounts(query: $query, first: $first, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      accountId\n      name\n      domain\n      linkedPersonsCount\n    }\n  }\n}': typeof types.AccountsDocument;
  'mutation CreateAudience($input: CreateAudienceInput!) {\n  createAudience(input: $input) {\n    audience {\n      ...AudienceSummary\n      latestVersion {\n        ...VersionSummary\n      }\n    }\n    userErrors {\n      code\n      field\n      message\n    }\n  }\n}': typeof types.CreateAudienceDocument;
  'fragment AudienceSummary on Audience {\n  id\n  audienceId\n  effectiveName\n  status\n  createdAt\n}\n\nfragment PersonSummary on Person {\n  id\n  personId\n  name\n  email\n  domain\n}\n\nfragment VersionSummary on AudienceVersion {\n  id\n  versionId\n  versionNumber\n  status\n  createdAt\n  publishedAt\n}': typeof types.AudienceSummaryFragmentDoc;
  'query PageLinks($pageId: ID!, $first: Int = 20, $after: String) {\n  page(pageId: $pageId) {\n    id\n    links(first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        pageLinkId\n        path\n        target {\n          targetType\n          audience {\n            id\n            audienceId\n          }\n        }\n      }\n    }\n  }\n}': typeof types.PageLinksDocument;
  'query PageWithAudiences($pageId: ID!, $first: Int = 5) {\n  page(pageId: $pageId) {\n    id\n    pageId\n    name\n    title\n    status\n    audiencesCount\n    audiences(first: $first) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        ...AudienceSummary\n        person {\n          ...PersonSummary\n        }\n        versions(first: 3) {\n          nodes {\n            ...VersionSummary\n          }\n        }\n      }\n    }\n  }\n}': typeof types.PageWithAudiencesDocument;
  'query PagingAudiences($pageId: ID!, $first: Int!, $after: String) {\n  page(pageId: $pageId) {\n    id\n    audiences(first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        hasPreviousPage\n        startCursor\n        endCursor\n      }\n      edges {\n        cursor\n        node {\n          ...AudienceSummary\n        }\n      }\n    }\n  }\n}': typeof types.PagingAudiencesDocument;
  'mutation PublishVersion($input: PublishAudienceVersionInput!) {\n  publishAudienceVersion(input: $input) {\n    audienceVersion {\n      ...VersionSummary\n      audience {\n        ...AudienceSummary\n      }\n    }\n    userErrors {\n      code\n      field\n      message\n    }\n  }\n}': typeof types.PublishVersionDocument;
  'query SearchPages($query: String!, $first: Int = 10) {\n  searchPages(query: $query, first: $first) {\n    id\n    pageId\n    name\n    pageType\n    audiencesCount\n  }\n}': typeof types.SearchPagesDocument;
  'query Topics($first: Int!, $after: String) {\n  topics(first: $first, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      topicId\n      title\n      purpose\n      isDefault\n      sortOrder\n      entries {\n        totalCount\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n        nodes {\n          id\n          topicEntryId\n          sortOrder\n          content {\n            type\n            content\n          }\n        }\n      }\n    }\n  }\n}': typeof types.TopicsDocument;
  'subscription VersionProgress($id: ID!) {\n  audienceVersionProgress(id: $id) {\n    audienceVersion {\n      ...VersionSummary\n      queuedAt\n    }\n    isFinal\n  }\n}': typeof types.VersionProgressDocument;
  'query Version($id: ID!) {\n  node(id: $id) {\n    __typename\n    ... on AudienceVersion {\n      ...VersionSummary\n      queuedAt\n      obsoleteAt\n    }\n  }\n}': typeof types.VersionDocument;
};
const documents: Documents = {
  'query AccountWithPersons($accountId: ID!, $first: Int = 10) {\n  account(accountId: $accountId) {\n    id\n    accountId\n    name\n    domain\n    linkedPersonsCount\n    latestActivityAt\n    persons(first: $first) {\n      totalCount\n      nodes {\n        ...PersonSummary\n        logs(first: 3) {\n          nodes {\n            id\n            personLogId\n            type\n            source\n            createdAt\n            payload\n          }\n        }\n      }\n    }\n    logs(first: $first) {\n      nodes {\n        id\n        accountLogId\n        type\n        source\n        createdAt\n        payload\n      }\n    }\n    activity(first: $first, includePersonActivity: true) {\n      nodes {\n        activityId\n        type\n        createdAt\n        person {\n          id\n          personId\n          name\n        }\n      }\n    }\n  }\n}':
    types.AccountWithPersonsDocument,
  'query Accounts($query: String, $first: Int!, $after: String) {\n  accounts(query: $query, first: $first, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      accountId\n      name\n      domain\n      linkedPersonsCount\n    }\n  }\n}':
    types.AccountsDocument,
  'mutation CreateAudience($input: CreateAudienceInput!) {\n  createAudience(input: $input) {\n    audience {\n      ...AudienceSummary\n      latestVersion {\n        ...VersionSummary\n      }\n    }\n    userErrors {\n      code\n      field\n      message\n    }\n  }\n}':
    types.CreateAudienceDocument,
  'fragment AudienceSummary on Audience {\n  id\n  audienceId\n  effectiveName\n  status\n  createdAt\n}\n\nfragment PersonSummary on Person {\n  id\n  personId\n  name\n  email\n  domain\n}\n\nfragment VersionSummary on AudienceVersion {\n  id\n  versionId\n  versionNumber\n  status\n  createdAt\n  publishedAt\n}':
    types.AudienceSummaryFragmentDoc,
  'query PageLinks($pageId: ID!, $first: Int = 20, $after: String) {\n  page(pageId: $pageId) {\n    id\n    links(first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        pageLinkId\n        path\n        target {\n          targetType\n          audience {\n            id\n            audienceId\n          }\n        }\n      }\n    }\n  }\n}':
    types.PageLinksDocument,
  'query PageWithAudiences($pageId: ID!, $first: Int = 5) {\n  page(pageId: $pageId) {\n    id\n    pageId\n    name\n    title\n    status\n    audiencesCount\n    audiences(first: $first) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        ...AudienceSummary\n        person {\n          ...PersonSummary\n        }\n        versions(first: 3) {\n          nodes {\n            ...VersionSummary\n          }\n        }\n      }\n    }\n  }\n}':
    types.PageWithAudiencesDocument,
  'query PagingAudiences($pageId: ID!, $first: Int!, $after: String) {\n  page(pageId: $pageId) {\n    id\n    audiences(first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        hasPreviousPage\n        startCursor\n        endCursor\n      }\n      edges {\n        cursor\n        node {\n          ...AudienceSummary\n        }\n      }\n    }\n  }\n}':
    types.PagingAudiencesDocument,
  'mutation PublishVersion($input: PublishAudienceVersionInput!) {\n  publishAudienceVersion(input: $input) {\n    audienceVersion {\n      ...VersionSummary\n      audience {\n        ...AudienceSummary\n      }\n    }\n    userErrors {\n      code\n      field\n      message\n    }\n  }\n}':
    types.PublishVersionDocument,
  'query SearchPages($query: String!, $first: Int = 10) {\n  searchPages(query: $query, first: $first) {\n    id\n    pageId\n    name\n    pageType\n    audiencesCount\n  }\n}':
    types.SearchPagesDocument,
  'query Topics($first: Int!, $after: String) {\n  topics(first: $first, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      topicId\n      title\n      purpose\n      isDefault\n      sortOrder\n      entries {\n        totalCount\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n        nodes {\n          id\n          topicEntryId\n          sortOrder\n          content {\n            type\n            content\n          }\n        }\n      }\n    }\n  }\n}':
    types.TopicsDocument,
  'subscription VersionProgress($id: ID!) {\n  audienceVersionProgress(id: $id) {\n    audienceVersion {\n      ...VersionSummary\n      queuedAt\n    }\n    isFinal\n  }\n}':
    types.VersionProgressDocument,
  'query Version($id: ID!) {\n  node(id: $id) {\n    __typename\n    ... on AudienceVersion {\n      ...VersionSummary\n      queuedAt\n      obsoleteAt\n    }\n  }\n}':
    types.VersionDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'query AccountWithPersons($accountId: ID!, $first: Int = 10) {\n  account(accountId: $accountId) {\n    id\n    accountId\n    name\n    domain\n    linkedPersonsCount\n    latestActivityAt\n    persons(first: $first) {\n      totalCount\n      nodes {\n        ...PersonSummary\n        logs(first: 3) {\n          nodes {\n            id\n            personLogId\n            type\n            source\n            createdAt\n            payload\n          }\n        }\n      }\n    }\n    logs(first: $first) {\n      nodes {\n        id\n        accountLogId\n        type\n        source\n        createdAt\n        payload\n      }\n    }\n    activity(first: $first, includePersonActivity: true) {\n      nodes {\n        activityId\n        type\n        createdAt\n        person {\n          id\n          personId\n          name\n        }\n      }\n    }\n  }\n}',
): (typeof documents)['query AccountWithPersons($accountId: ID!, $first: Int = 10) {\n  account(accountId: $accountId) {\n    id\n    accountId\n    name\n    domain\n    linkedPersonsCount\n    latestActivityAt\n    persons(first: $first) {\n      totalCount\n      nodes {\n        ...PersonSummary\n        logs(first: 3) {\n          nodes {\n            id\n            personLogId\n            type\n            source\n            createdAt\n            payload\n          }\n        }\n      }\n    }\n    logs(first: $first) {\n      nodes {\n        id\n        accountLogId\n        type\n        source\n        createdAt\n        payload\n      }\n    }\n    activity(first: $first, includePersonActivity: true) {\n      nodes {\n        activityId\n        type\n        createdAt\n        person {\n          id\n          personId\n          name\n        }\n      }\n    }\n  }\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'query Accounts($query: String, $first: Int!, $after: String) {\n  accounts(query: $query, first: $first, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      accountId\n      name\n      domain\n      linkedPersonsCount\n    }\n  }\n}',
): (typeof documents)['query Accounts($query: String, $first: Int!, $after: String) {\n  accounts(query: $query, first: $first, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      accountId\n      name\n      domain\n      linkedPersonsCount\n    }\n  }\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'mutation CreateAudience($input: CreateAudienceInput!) {\n  createAudience(input: $input) {\n    audience {\n      ...AudienceSummary\n      latestVersion {\n        ...VersionSummary\n      }\n    }\n    userErrors {\n      code\n      field\n      message\n    }\n  }\n}',
): (typeof documents)['mutation CreateAudience($input: CreateAudienceInput!) {\n  createAudience(input: $input) {\n    audience {\n      ...AudienceSummary\n      latestVersion {\n        ...VersionSummary\n      }\n    }\n    userErrors {\n      code\n      field\n      message\n    }\n  }\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'fragment AudienceSummary on Audience {\n  id\n  audienceId\n  effectiveName\n  status\n  createdAt\n}\n\nfragment PersonSummary on Person {\n  id\n  personId\n  name\n  email\n  domain\n}\n\nfragment VersionSummary on AudienceVersion {\n  id\n  versionId\n  versionNumber\n  status\n  createdAt\n  publishedAt\n}',
): (typeof documents)['fragment AudienceSummary on Audience {\n  id\n  audienceId\n  effectiveName\n  status\n  createdAt\n}\n\nfragment PersonSummary on Person {\n  id\n  personId\n  name\n  email\n  domain\n}\n\nfragment VersionSummary on AudienceVersion {\n  id\n  versionId\n  versionNumber\n  status\n  createdAt\n  publishedAt\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'query PageLinks($pageId: ID!, $first: Int = 20, $after: String) {\n  page(pageId: $pageId) {\n    id\n    links(first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        pageLinkId\n        path\n        target {\n          targetType\n          audience {\n            id\n            audienceId\n          }\n        }\n      }\n    }\n  }\n}',
): (typeof documents)['query PageLinks($pageId: ID!, $first: Int = 20, $after: String) {\n  page(pageId: $pageId) {\n    id\n    links(first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        pageLinkId\n        path\n        target {\n          targetType\n          audience {\n            id\n            audienceId\n          }\n        }\n      }\n    }\n  }\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'query PageWithAudiences($pageId: ID!, $first: Int = 5) {\n  page(pageId: $pageId) {\n    id\n    pageId\n    name\n    title\n    status\n    audiencesCount\n    audiences(first: $first) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        ...AudienceSummary\n        person {\n          ...PersonSummary\n        }\n        versions(first: 3) {\n          nodes {\n            ...VersionSummary\n          }\n        }\n      }\n    }\n  }\n}',
): (typeof documents)['query PageWithAudiences($pageId: ID!, $first: Int = 5) {\n  page(pageId: $pageId) {\n    id\n    pageId\n    name\n    title\n    status\n    audiencesCount\n    audiences(first: $first) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nodes {\n        ...AudienceSummary\n        person {\n          ...PersonSummary\n        }\n        versions(first: 3) {\n          nodes {\n            ...VersionSummary\n          }\n        }\n      }\n    }\n  }\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'query PagingAudiences($pageId: ID!, $first: Int!, $after: String) {\n  page(pageId: $pageId) {\n    id\n    audiences(first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        hasPreviousPage\n        startCursor\n        endCursor\n      }\n      edges {\n        cursor\n        node {\n          ...AudienceSummary\n        }\n      }\n    }\n  }\n}',
): (typeof documents)['query PagingAudiences($pageId: ID!, $first: Int!, $after: String) {\n  page(pageId: $pageId) {\n    id\n    audiences(first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        hasNextPage\n        hasPreviousPage\n        startCursor\n        endCursor\n      }\n      edges {\n        cursor\n        node {\n          ...AudienceSummary\n        }\n      }\n    }\n  }\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'mutation PublishVersion($input: PublishAudienceVersionInput!) {\n  publishAudienceVersion(input: $input) {\n    audienceVersion {\n      ...VersionSummary\n      audience {\n        ...AudienceSummary\n      }\n    }\n    userErrors {\n      code\n      field\n      message\n    }\n  }\n}',
): (typeof documents)['mutation PublishVersion($input: PublishAudienceVersionInput!) {\n  publishAudienceVersion(input: $input) {\n    audienceVersion {\n      ...VersionSummary\n      audience {\n        ...AudienceSummary\n      }\n    }\n    userErrors {\n      code\n      field\n      message\n    }\n  }\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'query SearchPages($query: String!, $first: Int = 10) {\n  searchPages(query: $query, first: $first) {\n    id\n    pageId\n    name\n    pageType\n    audiencesCount\n  }\n}',
): (typeof documents)['query SearchPages($query: String!, $first: Int = 10) {\n  searchPages(query: $query, first: $first) {\n    id\n    pageId\n    name\n    pageType\n    audiencesCount\n  }\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'query Topics($first: Int!, $after: String) {\n  topics(first: $first, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      topicId\n      title\n      purpose\n      isDefault\n      sortOrder\n      entries {\n        totalCount\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n        nodes {\n          id\n          topicEntryId\n          sortOrder\n          content {\n            type\n            content\n          }\n        }\n      }\n    }\n  }\n}',
): (typeof documents)['query Topics($first: Int!, $after: String) {\n  topics(first: $first, after: $after) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      topicId\n      title\n      purpose\n      isDefault\n      sortOrder\n      entries {\n        totalCount\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n        nodes {\n          id\n          topicEntryId\n          sortOrder\n          content {\n            type\n            content\n          }\n        }\n      }\n    }\n  }\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'subscription VersionProgress($id: ID!) {\n  audienceVersionProgress(id: $id) {\n    audienceVersion {\n      ...VersionSummary\n      queuedAt\n    }\n    isFinal\n  }\n}',
): (typeof documents)['subscription VersionProgress($id: ID!) {\n  audienceVersionProgress(id: $id) {\n    audienceVersion {\n      ...VersionSummary\n      queuedAt\n    }\n    isFinal\n  }\n}'];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(
  source: 'query Version($id: ID!) {\n  node(id: $id) {\n    __typename\n    ... on AudienceVersion {\n      ...VersionSummary\n      queuedAt\n      obsoleteAt\n    }\n  }\n}',
): (typeof documents)['query Version($id: ID!) {\n  node(id: $id) {\n    __typename\n    ... on AudienceVersion {\n      ...VersionSummary\n      queuedAt\n      obsoleteAt\n    }\n  }\n}'];

/** @throws for a string that is not one of the documents. */
export function graphql(
  source: 'graphql() accepts only the exact documents that its types were generated from. Run the code generator again, for your own documents with content-pages-client/codegen.',
): never;
export function graphql(source: string): unknown {
  if (!Object.hasOwn(documents, source)) {
    throw new Error(
      'graphql() accepts only the exact documents that its types were generated from. Run the code generator again, for your own documents with content-pages-client/codegen. Received: ' +
        source.trim(),
    );
  }
  return documents[source as keyof typeof documents];
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> =
  TDocumentNode extends DocumentNode<infer TType, any> ? TType : never;
