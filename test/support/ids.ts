/** Ids of the sample data that tests name. The data is the same on every machine. */
import { EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';

/** API key of the second tenant of the sample data. */
export const OTHER_API_KEY = 'demo-two';

export const IDS = {
  page: EXAMPLE_PAGE_ID,
  pages: ['page_pricing', 'page_onboarding', 'page_security', 'page_empty'],
  audience: 'audience_northwind_01',
  audiences: ['audience_northwind_01', 'audience_northwind_02', 'audience_northwind_03'],
  version: 'version_northwind_01_v1',
  person: 'person_ada_lindqvistova',
  persons: ['person_ada_lindqvistova', 'person_bastian_okparanta', 'person_rosa_hallorimm'],
  account: 'account_harborlight_logistics',
  accounts: ['account_harborlight_logistics', 'account_quillmere_logistics'],
  topic: 'topic_01',
  topics: ['topic_01', 'topic_02', 'topic_03'],
} as const;

/** Global ids of the sample data, one a type. */
export const SAMPLE_NODES = [
  formatNodeId('Page', [IDS.page]),
  formatNodeId('Audience', [IDS.page, IDS.audience]),
  formatNodeId('AudienceVersion', [IDS.page, IDS.audience, IDS.version]),
  formatNodeId('Person', [IDS.person]),
  formatNodeId('Account', [IDS.account]),
  formatNodeId('Topic', [IDS.topic]),
];

/** Arguments for random queries, by name; most find something. */
export const SAMPLE_VALUES = {
  pageId: [IDS.page, ...IDS.pages, 'page_that_is_not_there'],
  audienceId: IDS.audiences,
  versionId: [IDS.version],
  personId: IDS.persons,
  accountId: IDS.accounts,
  topicId: IDS.topics,
  query: ['north', 'logistics'],
};
