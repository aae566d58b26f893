/** Ids of the sample data that tests name. The data is the same on every machine. */
import { EXAMPLE_PAGE_ID } from '../../src/backend/example.ts';

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
