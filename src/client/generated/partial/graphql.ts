/* eslint-disable */
import type { JsonValue } from '../../json-value.ts';
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
  /** Date and time in ISO 8601, such as `2026-03-01T09:30:00.000Z`. */
  DateTime: { input: string; output: string };
  /** Any JSON value, as returned by the backend. */
  JSON: { input: JsonValue; output: JsonValue };
  /** Integer from -(2^53 - 1) to 2^53 - 1, the range that JSON numbers represent exactly. */
  SafeInt: { input: number; output: number };
};

/** A card shown next to the actions of a new page. */
export type ActionCardWidgetInput = {
  /** Logos on the card, in display order. */
  logos?: InputMaybe<Array<LogoInput>>;
  /** Heading of the card. */
  title?: InputMaybe<Scalars['String']['input']>;
  /** Kind of card. The REST API does not document its values. */
  type?: InputMaybe<Scalars['String']['input']>;
};

/** A call to action of a new page. */
export type ActionInput = {
  /** Raw ID of the new action in the REST API. */
  actionId?: InputMaybe<Scalars['ID']['input']>;
  /** Kind of action. The REST API does not document its values. */
  actionType?: InputMaybe<Scalars['String']['input']>;
  /** Label of the button. */
  buttonTitle?: InputMaybe<Scalars['String']['input']>;
  /** Purpose of the action. The REST API does not document its values. */
  purpose?: InputMaybe<Scalars['String']['input']>;
  /** URL that the action opens. */
  url?: InputMaybe<Scalars['String']['input']>;
};

/** The audience to archive. */
export type ArchiveAudienceInput = {
  /** Global ID of the audience. */
  id: Scalars['ID']['input'];
};

/** Publishing status of an audience or of one of its versions. */
export type AudienceStatus =
  /** No longer in use. */
  | 'archived'
  /** Publishing was cancelled before it completed. */
  | 'cancelled'
  /** Not yet submitted for publishing. */
  | 'draft'
  /** Waiting for the backend. The REST API does not document how this differs from `queued`. */
  | 'pending'
  /** Being published. */
  | 'processing'
  /** Visible to visitors. */
  | 'published'
  /** Waiting in the publishing queue. */
  | 'queued';

/** A new audience of a page. */
export type CreateAudienceInput = {
  /** Raw ID of the form to use instead of the form of the page. */
  actionFormIdOverride?: InputMaybe<Scalars['ID']['input']>;
  /** Instructions to show with the form instead of those of the page. */
  actionFormInstructionsOverride?: InputMaybe<Scalars['String']['input']>;
  /** URL to open when the action is triggered, instead of the URL of the page. Must be an absolute URL. */
  actionUrlOverride?: InputMaybe<Scalars['String']['input']>;
  /** Name of the audience. Must not be empty. Defaults to a name computed by the backend. */
  customName?: InputMaybe<Scalars['String']['input']>;
  /** Metadata that overrides the metadata of the page, field by field. */
  metadataOverride?: InputMaybe<PageMetadataInput>;
  /** Raw ID (`pageId`) or global ID (`id`) of the page to add the audience to. */
  pageId: Scalars['ID']['input'];
  /** Whether the first version is published immediately or stays a draft. */
  publishBehavior?: InputMaybe<PublishBehavior>;
  /** Context for this audience, in addition to `Page.pageContext`. Must not be empty. */
  supplementaryContext?: InputMaybe<Scalars['String']['input']>;
};

/** A new page. */
export type CreatePageInput = {
  /** Cards shown next to the actions, in display order. */
  actionCardWidgets?: Array<ActionCardWidgetInput>;
  /** Calls to action that visitors can choose from, in display order. */
  actions?: Array<ActionInput>;
  /** Raw ID of the brand of the page. */
  brandId: Scalars['ID']['input'];
  /** Groups of links in the footer, in display order. */
  footerLinks?: InputMaybe<Array<FooterLinkGroupInput>>;
  /** Raw ID of the action shown in the page header. */
  headerActionId?: InputMaybe<Scalars['ID']['input']>;
  /** Metadata for search engines and link previews. */
  metadata?: InputMaybe<PageMetadataInput>;
  /** Internal name. Must not be empty. */
  name: Scalars['String']['input'];
  /** Context that describes what the page is about. Must not be empty. */
  pageContext: Scalars['String']['input'];
  /** Purpose of the page. */
  pageType?: InputMaybe<PageType>;
  /** Scripts to embed in the page. */
  scripts?: Array<ScriptInput>;
};

/** A new topic entry. */
export type CreateTopicEntryInput = {
  /** Content of the entry. */
  content: TopicEntryContentInput;
  /** Sort position among the entries, ascending. An integer of at least 0. Defaults to a position chosen by the backend. */
  sortOrder?: InputMaybe<Scalars['SafeInt']['input']>;
  /** Raw ID (`topicId`) or global ID (`id`) of the topic to add the entry to. */
  topicId: Scalars['ID']['input'];
};

/** A group of links in the footer of a new page. */
export type FooterLinkGroupInput = {
  /** Raw ID of the group, called `id` in the REST API. */
  groupId?: InputMaybe<Scalars['ID']['input']>;
  /** Links of the group, in display order. */
  links?: InputMaybe<Array<FooterLinkInput>>;
  /** Heading of the group. */
  title?: InputMaybe<Scalars['String']['input']>;
};

/** A link in the footer of a new page. */
export type FooterLinkInput = {
  /** Raw ID of the link, called `id` in the REST API. */
  linkId?: InputMaybe<Scalars['ID']['input']>;
  /** Link text. */
  text?: InputMaybe<Scalars['String']['input']>;
  /** URL that the link opens. */
  url?: InputMaybe<Scalars['String']['input']>;
};

/** Image file of a logo. */
export type LogoImageInput = {
  /** Alternative text. */
  altText?: InputMaybe<Scalars['String']['input']>;
  /** Raw ID of the asset. */
  assetId?: InputMaybe<Scalars['ID']['input']>;
  /** Raw ID of the file. */
  fileId?: InputMaybe<Scalars['ID']['input']>;
  /** URL of the image. */
  url?: InputMaybe<Scalars['String']['input']>;
};

/** A logo on an action card of a new page. */
export type LogoInput = {
  /** Image file of the logo. */
  image?: InputMaybe<LogoImageInput>;
};

/** Metadata for search engines and link previews. */
export type PageMetadataInput = {
  /** Author of the document (`<meta name="author">`). */
  author?: InputMaybe<Scalars['String']['input']>;
  /** Canonical URL for search engines (`<link rel="canonical">`). */
  canonicalUrl?: InputMaybe<Scalars['String']['input']>;
  /** Meta description, shown in search results. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Keywords of the document (`<meta name="keywords">`). */
  keywords?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Open Graph description (`og:description`). */
  ogDescription?: InputMaybe<Scalars['String']['input']>;
  /** Alternative text of the Open Graph image (`og:image:alt`). */
  ogImageAlt?: InputMaybe<Scalars['String']['input']>;
  /** Open Graph site name (`og:site_name`). */
  ogSiteName?: InputMaybe<Scalars['String']['input']>;
  /** Open Graph title (`og:title`). */
  ogTitle?: InputMaybe<Scalars['String']['input']>;
  /** Open Graph URL (`og:url`). */
  ogUrl?: InputMaybe<Scalars['String']['input']>;
  /** Robots directives for crawlers, such as `noindex`. */
  robots?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Theme colour of the browser interface (`theme-color`), as a CSS colour. */
  themeColor?: InputMaybe<Scalars['String']['input']>;
  /** Document title (`<title>`). */
  title?: InputMaybe<Scalars['String']['input']>;
  /** Twitter handle of the author (`twitter:creator`). */
  twitterCreator?: InputMaybe<Scalars['String']['input']>;
  /** Twitter card description (`twitter:description`). */
  twitterDescription?: InputMaybe<Scalars['String']['input']>;
  /** Alternative text of the Twitter card image (`twitter:image:alt`). */
  twitterImageAlt?: InputMaybe<Scalars['String']['input']>;
  /** Twitter handle of the site (`twitter:site`). */
  twitterSite?: InputMaybe<Scalars['String']['input']>;
  /** Twitter card title (`twitter:title`). */
  twitterTitle?: InputMaybe<Scalars['String']['input']>;
};

/** Lifecycle status of a page. */
export type PageStatus =
  /** No longer in use. Can be restored with `restorePage`. */
  | 'archived'
  /** Not yet published. */
  | 'draft'
  /** Visible to visitors. */
  | 'published';

/** Purpose of a page. */
export type PageType =
  /** Follow-up after a call. */
  | 'call_followup'
  /** Any other purpose. */
  | 'custom'
  /** For visitors who find the page on their own. */
  | 'inbound'
  /** For visitors who are contacted first. */
  | 'outbound'
  /** A sales presentation. */
  | 'sales_deck';

/** The version to publish. */
export type PublishAudienceVersionInput = {
  /** Global ID of the audience version. */
  id: Scalars['ID']['input'];
  /** Idempotency key of 1 to 128 characters. Sending the same key again does not publish twice. */
  operationKey?: InputMaybe<Scalars['String']['input']>;
  /** Maximum wait for `waitFor` in milliseconds, from 0 to 60000. The deadline of the request may end it sooner. Defaults to 5000. */
  timeoutMs?: InputMaybe<Scalars['Int']['input']>;
  /** Status to wait for before responding, such as `published`. The wait ends early if the version can no longer reach it. If omitted, the mutation does not wait. During the wait the version is polled; to receive each change, subscribe to `audienceVersionProgress`. */
  waitFor?: InputMaybe<AudienceStatus>;
};

/** What happens to the first version of a new audience. */
export type PublishBehavior =
  /** The version stays a draft until `publishAudienceVersion` is called. */
  | 'draft'
  /** The version is queued for publishing immediately. */
  | 'publish';

/** The page to restore. */
export type RestorePageInput = {
  /** Global ID of the page. */
  id: Scalars['ID']['input'];
};

/** A script to embed in a new page. */
export type ScriptInput = {
  /** Source code of the script. */
  content?: InputMaybe<Scalars['String']['input']>;
  /** Internal description, for editors. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Whether the script is embedded. */
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  /** Place in the document where the script is injected. The REST API does not document its values. */
  injectionPoint?: InputMaybe<Scalars['String']['input']>;
  /** Internal name, for editors. */
  name?: InputMaybe<Scalars['String']['input']>;
};

/** Content of a new topic entry. */
export type TopicEntryContentInput = {
  /** Text of the entry. */
  content: Scalars['String']['input'];
  /** Kind of content. The REST API does not document its values. */
  type: Scalars['String']['input'];
};

/** Changes to a topic. Omitted fields keep their values. */
export type UpdateTopicInput = {
  /** Global ID of the topic. */
  id: Scalars['ID']['input'];
  /** New sort position among the topics, ascending. An integer of at least 0. */
  sortOrder?: InputMaybe<Scalars['SafeInt']['input']>;
  /** New title. Must not be empty. */
  title?: InputMaybe<Scalars['String']['input']>;
};

/** Machine-readable reason why a write was rejected. */
export type UserErrorCode =
  /** The value must not be empty. */
  | 'BLANK'
  /** The current state of the object does not allow the write: the backend returned 409, 412 or 423. */
  | 'CONFLICT'
  /** The string is not an absolute URL. */
  | 'INVALID_URL'
  /** The number is not an integer. */
  | 'NOT_AN_INTEGER'
  /** The object to write to does not exist: the backend returned 404 or 410. */
  | 'NOT_FOUND'
  /** The value is already in use: the backend returned 409 and named the field. */
  | 'TAKEN'
  /** The number is above the maximum. */
  | 'TOO_LARGE'
  /** The string has too many characters. */
  | 'TOO_LONG'
  /** The string has too few characters. */
  | 'TOO_SHORT'
  /** The number is below the minimum. */
  | 'TOO_SMALL'
  /** The backend returned 400, 413, 414, 422 or 431, or a value is invalid for another reason. */
  | 'VALIDATION_FAILED';

export type AccountWithPersonsQueryVariables = Exact<{
  accountId: Scalars['ID']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
}>;

export type AccountWithPersonsQuery = {
  __typename: 'Query';
  account?: {
    __typename: 'Account';
    id: string;
    accountId: string;
    name?: string | null;
    domain: string;
    linkedPersonsCount: number;
    latestActivityAt?: string | null;
    persons?: {
      __typename: 'PersonConnection';
      totalCount?: number | null;
      nodes: Array<{
        __typename: 'Person';
        id: string;
        personId: string;
        name: string;
        email?: string | null;
        domain?: string | null;
        logs?: {
          __typename: 'PersonLogConnection';
          nodes: Array<{
            __typename: 'PersonLog';
            id: string;
            personLogId: string;
            type: string;
            source: string;
            createdAt: string;
            payload: JsonValue;
          } | null>;
        } | null;
      } | null>;
    } | null;
    logs?: {
      __typename: 'AccountLogConnection';
      nodes: Array<{
        __typename: 'AccountLog';
        id: string;
        accountLogId: string;
        type: string;
        source: string;
        createdAt: string;
        payload: JsonValue;
      } | null>;
    } | null;
    activity?: {
      __typename: 'ActivityItemConnection';
      nodes: Array<{
        __typename: 'ActivityItem';
        activityId?: string | null;
        type?: string | null;
        createdAt?: string | null;
        person?: { __typename: 'Person'; id: string; personId: string; name: string } | null;
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
  __typename: 'Query';
  accounts?: {
    __typename: 'AccountConnection';
    totalCount?: number | null;
    pageInfo: { __typename: 'PageInfo'; hasNextPage: boolean; endCursor?: string | null };
    nodes: Array<{
      __typename: 'Account';
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
  __typename: 'Mutation';
  createAudience?: {
    __typename: 'CreateAudiencePayload';
    audience?: {
      __typename: 'Audience';
      id: string;
      audienceId: string;
      effectiveName: string;
      status?: AudienceStatus | null;
      createdAt: string;
      latestVersion?: {
        __typename: 'AudienceVersion';
        id: string;
        versionId: string;
        versionNumber: number;
        status?: AudienceStatus | null;
        createdAt: string;
        publishedAt?: string | null;
      } | null;
    } | null;
    userErrors: Array<{
      __typename: 'UserError';
      code: UserErrorCode;
      field?: Array<string> | null;
      message: string;
    }>;
  } | null;
};

export type AudienceSummaryFragment = {
  __typename: 'Audience';
  id: string;
  audienceId: string;
  effectiveName: string;
  status?: AudienceStatus | null;
  createdAt: string;
};

export type PersonSummaryFragment = {
  __typename: 'Person';
  id: string;
  personId: string;
  name: string;
  email?: string | null;
  domain?: string | null;
};

export type VersionSummaryFragment = {
  __typename: 'AudienceVersion';
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
  __typename: 'Query';
  page?: {
    __typename: 'Page';
    id: string;
    links?: {
      __typename: 'PageLinkConnection';
      totalCount?: number | null;
      pageInfo: { __typename: 'PageInfo'; hasNextPage: boolean; endCursor?: string | null };
      nodes: Array<{
        __typename: 'PageLink';
        pageLinkId?: string | null;
        path?: string | null;
        target?: {
          __typename: 'PageLinkTarget';
          targetType?: string | null;
          audience?: { __typename: 'Audience'; id: string; audienceId: string } | null;
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
  __typename: 'Query';
  page?: {
    __typename: 'Page';
    id: string;
    pageId: string;
    name: string;
    title: string;
    status?: PageStatus | null;
    audiencesCount: number;
    audiences?: {
      __typename: 'AudienceConnection';
      totalCount?: number | null;
      pageInfo: { __typename: 'PageInfo'; hasNextPage: boolean; endCursor?: string | null };
      nodes: Array<{
        __typename: 'Audience';
        id: string;
        audienceId: string;
        effectiveName: string;
        status?: AudienceStatus | null;
        createdAt: string;
        person?: {
          __typename: 'Person';
          id: string;
          personId: string;
          name: string;
          email?: string | null;
          domain?: string | null;
        } | null;
        versions?: {
          __typename: 'AudienceVersionConnection';
          nodes: Array<{
            __typename: 'AudienceVersion';
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
  __typename: 'Query';
  page?: {
    __typename: 'Page';
    id: string;
    audiences?: {
      __typename: 'AudienceConnection';
      totalCount?: number | null;
      pageInfo: {
        __typename: 'PageInfo';
        hasNextPage: boolean;
        hasPreviousPage: boolean;
        startCursor?: string | null;
        endCursor?: string | null;
      };
      edges: Array<{
        __typename: 'AudienceEdge';
        cursor: string;
        node?: {
          __typename: 'Audience';
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
  __typename: 'Mutation';
  publishAudienceVersion?: {
    __typename: 'PublishAudienceVersionPayload';
    audienceVersion?: {
      __typename: 'AudienceVersion';
      id: string;
      versionId: string;
      versionNumber: number;
      status?: AudienceStatus | null;
      createdAt: string;
      publishedAt?: string | null;
      audience?: {
        __typename: 'Audience';
        id: string;
        audienceId: string;
        effectiveName: string;
        status?: AudienceStatus | null;
        createdAt: string;
      } | null;
    } | null;
    userErrors: Array<{
      __typename: 'UserError';
      code: UserErrorCode;
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
  __typename: 'Query';
  searchPages?: Array<{
    __typename: 'PageSearchHit';
    id: string;
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
  __typename: 'Query';
  topics?: {
    __typename: 'TopicConnection';
    totalCount?: number | null;
    pageInfo: { __typename: 'PageInfo'; hasNextPage: boolean; endCursor?: string | null };
    nodes: Array<{
      __typename: 'Topic';
      id: string;
      topicId: string;
      title: string;
      purpose?: string | null;
      isDefault: boolean;
      sortOrder: number;
      entries?: {
        __typename: 'TopicEntryConnection';
        totalCount?: number | null;
        pageInfo: { __typename: 'PageInfo'; hasNextPage: boolean; endCursor?: string | null };
        nodes: Array<{
          __typename: 'TopicEntry';
          id: string;
          topicEntryId: string;
          sortOrder: number;
          content: { __typename: 'TopicEntryContent'; type: string; content: string };
        } | null>;
      } | null;
    } | null>;
  } | null;
};

export type VersionProgressSubscriptionVariables = Exact<{
  id: Scalars['ID']['input'];
}>;

export type VersionProgressSubscription = {
  __typename?: 'Subscription';
  audienceVersionProgress?: {
    __typename: 'AudienceVersionProgress';
    isFinal: boolean;
    audienceVersion: {
      __typename: 'AudienceVersion';
      queuedAt?: string | null;
      id: string;
      versionId: string;
      versionNumber: number;
      status?: AudienceStatus | null;
      createdAt: string;
      publishedAt?: string | null;
    };
  } | null;
};

export type VersionQueryVariables = Exact<{
  id: Scalars['ID']['input'];
}>;

export type VersionQuery = {
  __typename: 'Query';
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
  __meta__: { hash: 'aff320306ddb35667b577e41d4f67eb2e36d2954439d32f045c2a6574b12dff4' },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                                  { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                                  {
                                    kind: 'Field',
                                    name: { kind: 'Name', value: 'nodes' },
                                    selectionSet: {
                                      kind: 'SelectionSet',
                                      selections: [
                                        {
                                          kind: 'Field',
                                          name: { kind: 'Name', value: '__typename' },
                                        },
                                        { kind: 'Field', name: { kind: 'Name', value: 'id' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'id' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'nodes' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'activityId' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'type' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'person' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'id' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
  __meta__: { hash: 'ed7faa70185b8468b491fc8b4a43c8a2b4e0363728fdaf1842810dbaf551131b' },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
  __meta__: { hash: '34056cebffba4b5f91ba049712b27043646c7d7dcdf0643ff259cc3507d4bbff' },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'audience' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'AudienceSummary' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'latestVersion' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
  __meta__: { hash: 'bb6ef5b557395944f63259756a95fbf70a4309626d682b34b9d2518c8329be23' },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'pageInfo' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'pageLinkId' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'path' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'target' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'targetType' } },
                                  {
                                    kind: 'Field',
                                    name: { kind: 'Name', value: 'audience' },
                                    selectionSet: {
                                      kind: 'SelectionSet',
                                      selections: [
                                        {
                                          kind: 'Field',
                                          name: { kind: 'Name', value: '__typename' },
                                        },
                                        { kind: 'Field', name: { kind: 'Name', value: 'id' } },
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
  __meta__: { hash: 'f579b748abfda2dc2345a152b937a148d6d27e5a2abcc1126fb52d2bf56df1aa' },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'pageInfo' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                                  { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                                  { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                                  {
                                    kind: 'Field',
                                    name: { kind: 'Name', value: 'nodes' },
                                    selectionSet: {
                                      kind: 'SelectionSet',
                                      selections: [
                                        {
                                          kind: 'Field',
                                          name: { kind: 'Name', value: '__typename' },
                                        },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
  __meta__: { hash: 'dd3e7115dbb6111ab2985ba7e7dad48447a231894143c4d7141701b2a7f1d486' },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'pageInfo' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'cursor' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'node' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
  __meta__: { hash: 'c8e5a28e2e3a96a9fe4f0a86ddb1ffdf509fc016d4714ec4bae6e644adaf45ce' },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'audienceVersion' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'VersionSummary' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'audience' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
  __meta__: { hash: 'b88e225264893d63f9f7bd350050ecde3a4818c995e1727270def05feef5a5be' },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'Field', name: { kind: 'Name', value: 'id' } },
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
  __meta__: { hash: '41abbb17a597b7b8d6c05be12761e78a4a1f297842a057d3be9fb94049f9347f' },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                            { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'pageInfo' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [
                                  { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                                  { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'topicEntryId' } },
                                  { kind: 'Field', name: { kind: 'Name', value: 'sortOrder' } },
                                  {
                                    kind: 'Field',
                                    name: { kind: 'Name', value: 'content' },
                                    selectionSet: {
                                      kind: 'SelectionSet',
                                      selections: [
                                        {
                                          kind: 'Field',
                                          name: { kind: 'Name', value: '__typename' },
                                        },
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
export const VersionProgressDocument = {
  __meta__: { hash: '8e44e6712f4c0633d26048a35cfb28393c07efba32ddbd4565b5a90cc7da0add' },
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      name: { kind: 'Name', value: 'VersionProgress' },
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
            name: { kind: 'Name', value: 'audienceVersionProgress' },
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
                  kind: 'Field',
                  name: { kind: 'Name', value: 'audienceVersion' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                      { kind: 'FragmentSpread', name: { kind: 'Name', value: 'VersionSummary' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'queuedAt' } },
                    ],
                  },
                },
                { kind: 'Field', name: { kind: 'Name', value: 'isFinal' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
} as unknown as DocumentNode<VersionProgressSubscription, VersionProgressSubscriptionVariables>;
export const VersionDocument = {
  __meta__: { hash: '82957816eab46e9ad5c9762c4e170100bc2ec79c617638729ee3b5de3be62ce8' },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
                      { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
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
