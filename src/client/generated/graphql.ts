/* eslint-disable */
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type MakeOptional<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]?: Maybe<T[SubKey]> };
export type MakeMaybe<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]: Maybe<T[SubKey]> };
export type MakeEmpty<T extends { [key: string]: unknown }, K extends keyof T> = {
  [_ in K]?: never;
};
export type Incremental<T> =
  T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string };
  String: { input: string; output: string };
  Boolean: { input: boolean; output: boolean };
  Int: { input: number; output: number };
  Float: { input: number; output: number };
  /** A moment in ISO 8601, such as `2026-03-01T09:30:00.000Z`. */
  DateTime: { input: string; output: string };
  /** Any JSON value, as the backend keeps it. */
  JSON: { input: unknown; output: unknown };
  /** An integer that JSON and JavaScript carry exactly: -(2^53 - 1) to 2^53 - 1. */
  SafeInt: { input: number; output: number };
};

/** A card beside the actions of a new page. */
export type ActionCardWidgetInput = {
  /** Logos on the card. */
  logos?: InputMaybe<Array<LogoInput>>;
  /** Its heading. */
  title?: InputMaybe<Scalars['String']['input']>;
  /** What kind it is. */
  type?: InputMaybe<Scalars['String']['input']>;
};

/** An action of a new page. */
export type ActionInput = {
  /** The id REST is to know it by. */
  actionId?: InputMaybe<Scalars['ID']['input']>;
  /** What kind it is. */
  actionType?: InputMaybe<Scalars['String']['input']>;
  /** The text on its button. */
  buttonTitle?: InputMaybe<Scalars['String']['input']>;
  /** What it is there for. */
  purpose?: InputMaybe<Scalars['String']['input']>;
  /** Where it leads. */
  url?: InputMaybe<Scalars['String']['input']>;
};

/** The audience to archive. */
export type ArchiveAudienceInput = {
  /** The global id of the audience. */
  id: Scalars['ID']['input'];
};

/** Where an audience or one of its versions stands on the way to being published. */
export type AudienceStatus =
  'archived' | 'cancelled' | 'draft' | 'pending' | 'processing' | 'published' | 'queued';

/** The audience to create. */
export type CreateAudienceInput = {
  /** The form instead of the page’s, by its REST id. */
  actionFormIdOverride?: InputMaybe<Scalars['ID']['input']>;
  /** Instructions for the form instead of the page’s. */
  actionFormInstructionsOverride?: InputMaybe<Scalars['String']['input']>;
  /** The URL to open when the action is triggered: an absolute URI. */
  actionUrlOverride?: InputMaybe<Scalars['String']['input']>;
  /** A name, not empty. */
  customName?: InputMaybe<Scalars['String']['input']>;
  /** Metadata of this audience’s own. */
  metadataOverride?: InputMaybe<PageMetadataInput>;
  /** The page it is a variant of, by its REST id. */
  pageId: Scalars['ID']['input'];
  /** Whether its first version stays a draft or is published at once. */
  publishBehavior?: InputMaybe<PublishBehavior>;
  /** What is to be known beside the page’s context, not empty. */
  supplementaryContext?: InputMaybe<Scalars['String']['input']>;
};

/** The page to create. */
export type CreatePageInput = {
  /** Cards beside the actions. */
  actionCardWidgets: Array<ActionCardWidgetInput>;
  /** What visitors can do. */
  actions: Array<ActionInput>;
  /** The brand it belongs to, by its REST id. */
  brandId: Scalars['ID']['input'];
  /** Groups of footer links. */
  footerLinks?: InputMaybe<Array<FooterLinkGroupInput>>;
  /** The action in its header, by its REST id. */
  headerActionId?: InputMaybe<Scalars['ID']['input']>;
  /** What search engines are told. */
  metadata?: InputMaybe<PageMetadataInput>;
  /** Its name, not empty. */
  name: Scalars['String']['input'];
  /** What it is about, not empty. */
  pageContext: Scalars['String']['input'];
  /** What it is for. */
  pageType?: InputMaybe<PageType>;
  /** Scripts that run on it. */
  scripts: Array<ScriptInput>;
};

/** The entry to add. */
export type CreateTopicEntryInput = {
  /** What it is to say. */
  content: TopicEntryContentInput;
  /** Its place among the entries: an integer from 0. The backend chooses when absent. */
  sortOrder?: InputMaybe<Scalars['SafeInt']['input']>;
  /** The topic to add it to, by its REST id. */
  topicId: Scalars['ID']['input'];
};

/** Links that stand together in the footer of a new page. */
export type FooterLinkGroupInput = {
  /** REST’s `id` of the group. */
  groupId?: InputMaybe<Scalars['ID']['input']>;
  /** Its links. */
  links?: InputMaybe<Array<FooterLinkInput>>;
  /** Its heading. */
  title?: InputMaybe<Scalars['String']['input']>;
};

/** One link in the footer of a new page. */
export type FooterLinkInput = {
  /** REST’s `id` of the link. */
  linkId?: InputMaybe<Scalars['ID']['input']>;
  /** What it says. */
  text?: InputMaybe<Scalars['String']['input']>;
  /** Where it leads. */
  url?: InputMaybe<Scalars['String']['input']>;
};

/** The picture of a logo. */
export type LogoImageInput = {
  /** Text for those who can’t see it. */
  altText?: InputMaybe<Scalars['String']['input']>;
  /** The asset, by its REST id. */
  assetId?: InputMaybe<Scalars['ID']['input']>;
  /** The file, by its REST id. */
  fileId?: InputMaybe<Scalars['ID']['input']>;
  /** Where the picture is. */
  url?: InputMaybe<Scalars['String']['input']>;
};

/** A logo on an action card. */
export type LogoInput = {
  /** Its picture. */
  image?: InputMaybe<LogoImageInput>;
};

/** What search engines and link previews are to be told. */
export type PageMetadataInput = {
  /** Who wrote it. */
  author?: InputMaybe<Scalars['String']['input']>;
  /** The address that counts for search engines. */
  canonicalUrl?: InputMaybe<Scalars['String']['input']>;
  /** The description in search results. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Keywords. */
  keywords?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Open Graph: the description. */
  ogDescription?: InputMaybe<Scalars['String']['input']>;
  /** Open Graph: text instead of the picture. */
  ogImageAlt?: InputMaybe<Scalars['String']['input']>;
  /** Open Graph: the name of the site. */
  ogSiteName?: InputMaybe<Scalars['String']['input']>;
  /** Open Graph: the title. */
  ogTitle?: InputMaybe<Scalars['String']['input']>;
  /** Open Graph: the address. */
  ogUrl?: InputMaybe<Scalars['String']['input']>;
  /** Directives for crawlers. */
  robots?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The colour browsers put around the page. */
  themeColor?: InputMaybe<Scalars['String']['input']>;
  /** The title of the document. */
  title?: InputMaybe<Scalars['String']['input']>;
  /** Twitter card: the account of the author. */
  twitterCreator?: InputMaybe<Scalars['String']['input']>;
  /** Twitter card: the description. */
  twitterDescription?: InputMaybe<Scalars['String']['input']>;
  /** Twitter card: text instead of the picture. */
  twitterImageAlt?: InputMaybe<Scalars['String']['input']>;
  /** Twitter card: the account of the site. */
  twitterSite?: InputMaybe<Scalars['String']['input']>;
  /** Twitter card: the title. */
  twitterTitle?: InputMaybe<Scalars['String']['input']>;
};

/** Where a page stands in its life. */
export type PageStatus = 'archived' | 'draft' | 'published';

/** What a page is for. */
export type PageType = 'call_followup' | 'custom' | 'inbound' | 'outbound' | 'sales_deck';

/** The version to publish. */
export type PublishAudienceVersionInput = {
  /** The global id of the version. */
  id: Scalars['ID']['input'];
  /** Names this publishing, 1 to 128 characters: the same key again does not publish twice. */
  operationKey?: InputMaybe<Scalars['String']['input']>;
};

/** Whether a new audience is published at once. */
export type PublishBehavior = 'draft' | 'publish';

/** The page to bring back. */
export type RestorePageInput = {
  /** The global id of the page. */
  id: Scalars['ID']['input'];
};

/** A script of a new page. */
export type ScriptInput = {
  /** Its source text. */
  content?: InputMaybe<Scalars['String']['input']>;
  /** What it does. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Whether it runs. */
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  /** Where on the page it is put. */
  injectionPoint?: InputMaybe<Scalars['String']['input']>;
  /** Its name. */
  name?: InputMaybe<Scalars['String']['input']>;
};

/** What an entry is to say. */
export type TopicEntryContentInput = {
  /** The content itself. */
  content: Scalars['String']['input'];
  /** What kind of content it is; the REST document lists no values. */
  type: Scalars['String']['input'];
};

/** What to change about a topic; what is left out stays. */
export type UpdateTopicInput = {
  /** The global id of the topic. */
  id: Scalars['ID']['input'];
  /** Its new place among the topics: an integer from 0. */
  sortOrder?: InputMaybe<Scalars['SafeInt']['input']>;
  /** Its new title, not empty. */
  title?: InputMaybe<Scalars['String']['input']>;
};

export type AccountWithPersonsQueryVariables = Exact<{
  accountId: Scalars['ID']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
}>;

export type AccountWithPersonsQuery = {
  __typename?: 'Query';
  account?: {
    __typename?: 'Account';
    id: string;
    accountId: string;
    name?: string | null;
    domain: string;
    linkedPersonsCount: number;
    latestActivityAt?: string | null;
    persons?: {
      __typename?: 'PersonConnection';
      totalCount?: number | null;
      nodes: Array<{
        __typename?: 'Person';
        id: string;
        personId: string;
        name: string;
        email?: string | null;
        domain?: string | null;
        logs?: {
          __typename?: 'PersonLogConnection';
          nodes: Array<{
            __typename?: 'PersonLog';
            personLogId: string;
            type: string;
            source: string;
            createdAt: string;
            payload: unknown;
          } | null>;
        } | null;
      } | null>;
    } | null;
    logs?: {
      __typename?: 'AccountLogConnection';
      nodes: Array<{
        __typename?: 'AccountLog';
        accountLogId: string;
        type: string;
        source: string;
        createdAt: string;
        payload: unknown;
      } | null>;
    } | null;
    activity?: {
      __typename?: 'ActivityItemConnection';
      nodes: Array<{
        __typename?: 'ActivityItem';
        activityId?: string | null;
        type?: string | null;
        createdAt?: string | null;
        person?: { __typename?: 'Person'; personId: string; name: string } | null;
      } | null>;
    } | null;
  } | null;
};

export type AccountsQueryVariables = Exact<{
  query?: InputMaybe<Scalars['String']['input']>;
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;

export type AccountsQuery = {
  __typename?: 'Query';
  accounts?: {
    __typename?: 'AccountConnection';
    totalCount?: number | null;
    pageInfo: { __typename?: 'PageInfo'; hasNextPage: boolean; endCursor?: string | null };
    nodes: Array<{
      __typename?: 'Account';
      id: string;
      accountId: string;
      name?: string | null;
      domain: string;
      linkedPersonsCount: number;
    } | null>;
  } | null;
};

export type CreateAudienceMutationVariables = Exact<{
  input: CreateAudienceInput;
}>;

export type CreateAudienceMutation = {
  __typename?: 'Mutation';
  createAudience?: {
    __typename?: 'CreateAudiencePayload';
    audience?: {
      __typename?: 'Audience';
      id: string;
      audienceId: string;
      effectiveName: string;
      status?: AudienceStatus | null;
      createdAt: string;
      latestVersion?: {
        __typename?: 'AudienceVersion';
        id: string;
        versionId: string;
        versionNumber: number;
        status?: AudienceStatus | null;
        createdAt: string;
        publishedAt?: string | null;
      } | null;
    } | null;
    userErrors: Array<{
      __typename?: 'UserError';
      code: string;
      field?: Array<string> | null;
      message: string;
    }>;
  } | null;
};

export type AudienceSummaryFragment = {
  __typename?: 'Audience';
  id: string;
  audienceId: string;
  effectiveName: string;
  status?: AudienceStatus | null;
  createdAt: string;
};

export type PersonSummaryFragment = {
  __typename?: 'Person';
  id: string;
  personId: string;
  name: string;
  email?: string | null;
  domain?: string | null;
};

export type VersionSummaryFragment = {
  __typename?: 'AudienceVersion';
  id: string;
  versionId: string;
  versionNumber: number;
  status?: AudienceStatus | null;
  createdAt: string;
  publishedAt?: string | null;
};

export type PageLinksQueryVariables = Exact<{
  pageId: Scalars['ID']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
}>;

export type PageLinksQuery = {
  __typename?: 'Query';
  page?: {
    __typename?: 'Page';
    links?: {
      __typename?: 'PageLinkConnection';
      totalCount?: number | null;
      pageInfo: { __typename?: 'PageInfo'; hasNextPage: boolean; endCursor?: string | null };
      nodes: Array<{
        __typename?: 'PageLink';
        pageLinkId?: string | null;
        path?: string | null;
        target?: {
          __typename?: 'PageLinkTarget';
          targetType?: string | null;
          audience?: { __typename?: 'Audience'; audienceId: string } | null;
        } | null;
      } | null>;
    } | null;
  } | null;
};

export type PageWithAudiencesQueryVariables = Exact<{
  pageId: Scalars['ID']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
}>;

export type PageWithAudiencesQuery = {
  __typename?: 'Query';
  page?: {
    __typename?: 'Page';
    id: string;
    pageId: string;
    name: string;
    title: string;
    status?: PageStatus | null;
    audiencesCount: number;
    audiences?: {
      __typename?: 'AudienceConnection';
      totalCount?: number | null;
      pageInfo: { __typename?: 'PageInfo'; hasNextPage: boolean; endCursor?: string | null };
      nodes: Array<{
        __typename?: 'Audience';
        id: string;
        audienceId: string;
        effectiveName: string;
        status?: AudienceStatus | null;
        createdAt: string;
        person?: {
          __typename?: 'Person';
          id: string;
          personId: string;
          name: string;
          email?: string | null;
          domain?: string | null;
        } | null;
        versions?: {
          __typename?: 'AudienceVersionConnection';
          nodes: Array<{
            __typename?: 'AudienceVersion';
            id: string;
            versionId: string;
            versionNumber: number;
            status?: AudienceStatus | null;
            createdAt: string;
            publishedAt?: string | null;
          } | null>;
        } | null;
      } | null>;
    } | null;
  } | null;
};

export type PagingAudiencesQueryVariables = Exact<{
  pageId: Scalars['ID']['input'];
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;

export type PagingAudiencesQuery = {
  __typename?: 'Query';
  page?: {
    __typename?: 'Page';
    audiences?: {
      __typename?: 'AudienceConnection';
      totalCount?: number | null;
      pageInfo: {
        __typename?: 'PageInfo';
        hasNextPage: boolean;
        hasPreviousPage: boolean;
        startCursor?: string | null;
        endCursor?: string | null;
      };
      edges: Array<{
        __typename?: 'AudienceEdge';
        cursor: string;
        node?: {
          __typename?: 'Audience';
          id: string;
          audienceId: string;
          effectiveName: string;
          status?: AudienceStatus | null;
          createdAt: string;
        } | null;
      }>;
    } | null;
  } | null;
};

export type PublishVersionMutationVariables = Exact<{
  input: PublishAudienceVersionInput;
}>;

export type PublishVersionMutation = {
  __typename?: 'Mutation';
  publishAudienceVersion?: {
    __typename?: 'PublishAudienceVersionPayload';
    audienceVersion?: {
      __typename?: 'AudienceVersion';
      id: string;
      versionId: string;
      versionNumber: number;
      status?: AudienceStatus | null;
      createdAt: string;
      publishedAt?: string | null;
      audience?: {
        __typename?: 'Audience';
        id: string;
        audienceId: string;
        effectiveName: string;
        status?: AudienceStatus | null;
        createdAt: string;
      } | null;
    } | null;
    userErrors: Array<{
      __typename?: 'UserError';
      code: string;
      field?: Array<string> | null;
      message: string;
    }>;
  } | null;
};

export type SearchPagesQueryVariables = Exact<{
  query: Scalars['String']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
}>;

export type SearchPagesQuery = {
  __typename?: 'Query';
  searchPages?: Array<{
    __typename?: 'PageSearchHit';
    pageId: string;
    name: string;
    pageType?: PageType | null;
    audiencesCount: number;
  }> | null;
};

export type TopicsQueryVariables = Exact<{
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;

export type TopicsQuery = {
  __typename?: 'Query';
  topics?: {
    __typename?: 'TopicConnection';
    totalCount?: number | null;
    pageInfo: { __typename?: 'PageInfo'; hasNextPage: boolean; endCursor?: string | null };
    nodes: Array<{
      __typename?: 'Topic';
      id: string;
      topicId: string;
      title: string;
      purpose?: string | null;
      isDefault: boolean;
      sortOrder: number;
      entries?: {
        __typename?: 'TopicEntryConnection';
        nodes: Array<{
          __typename?: 'TopicEntry';
          id: string;
          topicEntryId: string;
          sortOrder: number;
          content: { __typename?: 'TopicEntryContent'; type: string; content: string };
        } | null>;
      } | null;
    } | null>;
  } | null;
};

export type VersionQueryVariables = Exact<{
  id: Scalars['ID']['input'];
}>;

export type VersionQuery = {
  __typename?: 'Query';
  node?:
    | { __typename: 'Account' }
    | { __typename: 'AccountLog' }
    | { __typename: 'Audience' }
    | {
        __typename: 'AudienceVersion';
        queuedAt?: string | null;
        obsoleteAt?: string | null;
        id: string;
        versionId: string;
        versionNumber: number;
        status?: AudienceStatus | null;
        createdAt: string;
        publishedAt?: string | null;
      }
    | { __typename: 'Page' }
    | { __typename: 'Person' }
    | { __typename: 'PersonLog' }
    | { __typename: 'Topic' }
    | { __typename: 'TopicEntry' }
    | null;
};

export const AudienceSummaryFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AudienceSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Audience' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'audienceId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'effectiveName' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AudienceSummaryFragment, unknown>;
export const PersonSummaryFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PersonSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Person' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'personId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'email' } },
          { kind: 'Field', name: { kind: 'Name', value: 'domain' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PersonSummaryFragment, unknown>;
export const VersionSummaryFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'VersionSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'AudienceVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'versionId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'versionNumber' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'publishedAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<VersionSummaryFragment, unknown>;
export const AccountWithPersonsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'AccountWithPersons' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'accountId' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
          defaultValue: { kind: 'IntValue', value: '10' },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'account' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'accountId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'accountId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                { kind: 'Field', name: { kind: 'Name', value: 'accountId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'domain' } },
                { kind: 'Field', name: { kind: 'Name', value: 'linkedPersonsCount' } },
                { kind: 'Field', name: { kind: 'Name', value: 'latestActivityAt' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'persons' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            {
                              kind: 'FragmentSpread',
                              name: { kind: 'Name', value: 'PersonSummary' },
                            },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'logs' },
                              arguments: [
                                {
                                  kind: 'Argument',
                                  name: { kind: 'Name', value: 'first' },
                                  value: { kind: 'IntValue', value: '3' },
                                },
                              ],
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  {
                                    kind: 'Field',
                                    name: { kind: 'Name', value: 'nodes' },
                                    selectionSet: {
                                      kind: 'SelectionSet',
                                      selections: [
                                        {
                                          kind: 'Field',
                                          name: { kind: 'Name', value: 'personLogId' },
                                        },
                                        { kind: 'Field', name: { kind: 'Name', value: 'type' } },
                                        { kind: 'Field', name: { kind: 'Name', value: 'source' } },
                                        {
                                          kind: 'Field',
                                          name: { kind: 'Name', value: 'createdAt' },
                                        },
                                        { kind: 'Field', name: { kind: 'Name', value: 'payload' } },
                                      ],
                                    },
                                  },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'logs' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'accountLogId' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'type' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'source' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'payload' } },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'activity' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'includePersonActivity' },
                      value: { kind: 'BooleanValue', value: true },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'activityId' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'type' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'person' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: 'personId' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PersonSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Person' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'personId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'email' } },
          { kind: 'Field', name: { kind: 'Name', value: 'domain' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AccountWithPersonsQuery, AccountWithPersonsQueryVariables>;
export const AccountsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Accounts' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'query' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'accounts' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'query' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'query' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'accountId' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'domain' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'linkedPersonsCount' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AccountsQuery, AccountsQueryVariables>;
export const CreateAudienceDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'CreateAudience' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'CreateAudienceInput' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'createAudience' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'audience' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'AudienceSummary' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'latestVersion' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            {
                              kind: 'FragmentSpread',
                              name: { kind: 'Name', value: 'VersionSummary' },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'userErrors' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'code' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'field' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AudienceSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Audience' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'audienceId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'effectiveName' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'VersionSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'AudienceVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'versionId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'versionNumber' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'publishedAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<CreateAudienceMutation, CreateAudienceMutationVariables>;
export const PageLinksDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'PageLinks' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'pageId' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
          defaultValue: { kind: 'IntValue', value: '20' },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'page' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'pageId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'pageId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'links' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'after' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'pageInfo' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'pageLinkId' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'target' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: 'targetType' } },
                                  {
                                    kind: 'Field',
                                    name: { kind: 'Name', value: 'audience' },
                                    selectionSet: {
                                      kind: 'SelectionSet',
                                      selections: [
                                        {
                                          kind: 'Field',
                                          name: { kind: 'Name', value: 'audienceId' },
                                        },
                                      ],
                                    },
                                  },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PageLinksQuery, PageLinksQueryVariables>;
export const PageWithAudiencesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'PageWithAudiences' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'pageId' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
          defaultValue: { kind: 'IntValue', value: '5' },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'page' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'pageId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'pageId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                { kind: 'Field', name: { kind: 'Name', value: 'pageId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'title' } },
                { kind: 'Field', name: { kind: 'Name', value: 'status' } },
                { kind: 'Field', name: { kind: 'Name', value: 'audiencesCount' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'audiences' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'pageInfo' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            {
                              kind: 'FragmentSpread',
                              name: { kind: 'Name', value: 'AudienceSummary' },
                            },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'person' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  {
                                    kind: 'FragmentSpread',
                                    name: { kind: 'Name', value: 'PersonSummary' },
                                  },
                                ],
                              },
                            },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'versions' },
                              arguments: [
                                {
                                  kind: 'Argument',
                                  name: { kind: 'Name', value: 'first' },
                                  value: { kind: 'IntValue', value: '3' },
                                },
                              ],
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  {
                                    kind: 'Field',
                                    name: { kind: 'Name', value: 'nodes' },
                                    selectionSet: {
                                      kind: 'SelectionSet',
                                      selections: [
                                        {
                                          kind: 'FragmentSpread',
                                          name: { kind: 'Name', value: 'VersionSummary' },
                                        },
                                      ],
                                    },
                                  },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AudienceSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Audience' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'audienceId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'effectiveName' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'PersonSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Person' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'personId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'email' } },
          { kind: 'Field', name: { kind: 'Name', value: 'domain' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'VersionSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'AudienceVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'versionId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'versionNumber' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'publishedAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PageWithAudiencesQuery, PageWithAudiencesQueryVariables>;
export const PagingAudiencesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'PagingAudiences' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'pageId' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'page' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'pageId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'pageId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'audiences' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'after' },
                      value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'pageInfo' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'edges' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'cursor' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'node' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  {
                                    kind: 'FragmentSpread',
                                    name: { kind: 'Name', value: 'AudienceSummary' },
                                  },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AudienceSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Audience' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'audienceId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'effectiveName' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PagingAudiencesQuery, PagingAudiencesQueryVariables>;
export const PublishVersionDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'mutation',
      name: { kind: 'Name', value: 'PublishVersion' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
          type: {
            kind: 'NonNullType',
            type: {
              kind: 'NamedType',
              name: { kind: 'Name', value: 'PublishAudienceVersionInput' },
            },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'publishAudienceVersion' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'input' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'input' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'audienceVersion' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'VersionSummary' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'audience' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            {
                              kind: 'FragmentSpread',
                              name: { kind: 'Name', value: 'AudienceSummary' },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'userErrors' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'code' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'field' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'message' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'VersionSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'AudienceVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'versionId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'versionNumber' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'publishedAt' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'AudienceSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'Audience' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'audienceId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'effectiveName' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<PublishVersionMutation, PublishVersionMutationVariables>;
export const SearchPagesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'SearchPages' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'query' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
          defaultValue: { kind: 'IntValue', value: '10' },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'searchPages' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'query' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'query' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'pageId' } },
                { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                { kind: 'Field', name: { kind: 'Name', value: 'pageType' } },
                { kind: 'Field', name: { kind: 'Name', value: 'audiencesCount' } },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<SearchPagesQuery, SearchPagesQueryVariables>;
export const TopicsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Topics' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
          },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'topics' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'topicId' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'title' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'purpose' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'isDefault' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'sortOrder' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'entries' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'nodes' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'topicEntryId' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'sortOrder' } },
                                  {
                                    kind: 'Field',
                                    name: { kind: 'Name', value: 'content' },
                                    selectionSet: {
                                      kind: 'SelectionSet',
                                      selections: [
                                        { kind: 'Field', name: { kind: 'Name', value: 'type' } },
                                        { kind: 'Field', name: { kind: 'Name', value: 'content' } },
                                      ],
                                    },
                                  },
                                ],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TopicsQuery, TopicsQueryVariables>;
export const VersionDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Version' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
          type: {
            kind: 'NonNullType',
            type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } },
          },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'node' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'id' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'id' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: {
                    kind: 'NamedType',
                    name: { kind: 'Name', value: 'AudienceVersion' },
                  },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'VersionSummary' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'queuedAt' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'obsoleteAt' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'VersionSummary' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'AudienceVersion' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'id' } },
          { kind: 'Field', name: { kind: 'Name', value: 'versionId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'versionNumber' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'publishedAt' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<VersionQuery, VersionQueryVariables>;
