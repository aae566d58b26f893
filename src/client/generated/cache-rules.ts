/** What `npm run codegen` reads in the schema for caches. */

/** The object types of each interface. */
export const possibleTypes: Record<string, string[]> = {
  LogEntry: ['AccountLog', 'ActivityItem', 'PersonLog'],
  Node: [
    'Account',
    'AccountLog',
    'Audience',
    'AudienceVersion',
    'Page',
    'Person',
    'PersonLog',
    'Topic',
    'TopicEntry',
  ],
};

/** Object types that belong to the object they came with. */
export const typesWithoutId: readonly string[] = [
  'AccountConnection',
  'AccountEdge',
  'AccountLogConnection',
  'AccountLogEdge',
  'Action',
  'ActionCardWidget',
  'ActivityItem',
  'ActivityItemConnection',
  'ActivityItemEdge',
  'ArchiveAudiencePayload',
  'AudienceConnection',
  'AudienceEdge',
  'AudienceVersionConnection',
  'AudienceVersionEdge',
  'AudienceVersionProgress',
  'CreateAudiencePayload',
  'CreatePagePayload',
  'CreateTopicEntryPayload',
  'FooterLink',
  'FooterLinkGroup',
  'Logo',
  'LogoImage',
  'PageInfo',
  'PageLink',
  'PageLinkConnection',
  'PageLinkEdge',
  'PageLinkTarget',
  'PageMetadata',
  'PageProgress',
  'PersonConnection',
  'PersonEdge',
  'PersonLogConnection',
  'PersonLogEdge',
  'PublishAudienceVersionPayload',
  'RestorePagePayload',
  'Script',
  'TopicConnection',
  'TopicEdge',
  'TopicEntryConnection',
  'TopicEntryContent',
  'TopicEntryEdge',
  'UpdateTopicPayload',
  'UserError',
];

/** The fields of each type that are connections, and the arguments that make another list of them. */
export const connections: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Account: {
    activity: ['includeDeleted', 'includePersonActivity'],
    logs: ['includeDeleted'],
    persons: [],
  },
  Audience: { links: ['tenantDomainId'], versions: [] },
  Page: { audiences: [], links: ['path', 'tenantDomainId'] },
  Person: { logs: ['includeDeleted'] },
  Query: {
    accounts: ['includeEmptyOnly', 'query'],
    pageLinks: ['pageId', 'path', 'tenantDomainId'],
    persons: [],
    topics: [],
  },
  Topic: { entries: [] },
};
