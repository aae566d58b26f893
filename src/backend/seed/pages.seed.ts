/** Pages of the sample data, with their content, audiences, versions and links. All names are invented. */
import {
  DAY_MS,
  EXAMPLE_PAGE_ID,
  inTurn,
  MINUTE_MS,
  SAMPLE_END_MS,
  twoDigits,
  type SampleRow,
} from './example.ts';
import type {
  PageLinkRow,
  PageRow,
  PersonRow,
  AudienceRow,
  VersionRow,
} from '../database/tables.ts';
import type { PageMetadata } from '../../v0/schemas/page-metadata.ts';

type Sketch = readonly [
  id: string,
  name: string,
  type: PageRow['pageType'],
  audiences: number,
  links: number,
  state?: 'archived' | 'deleted',
];

export const PAGES: readonly Sketch[] = [
  [EXAMPLE_PAGE_ID, 'Northwind launch', 'inbound', 48, 18],
  ['page_pricing', 'Pricing for teams', 'inbound', 12, 4],
  ['page_pricing_enterprise', 'Enterprise pricing', 'sales_deck', 9, 3],
  ['page_spring_outreach', 'Spring outreach', 'outbound', 105, 4],
  ['page_autumn_outreach', 'Autumn outreach', 'outbound', 7, 3],
  ['page_call_recap', 'Call recap', 'call_followup', 15, 4],
  ['page_security', 'Security overview', 'sales_deck', 6, 3],
  ['page_onboarding', 'Onboarding guide', 'custom', 5, 2],
  ['page_partner', 'Partner welcome', 'custom', 4, 2],
  ['page_product_tour', 'Product tour', 'inbound', 8, 3],
  ['page_empty', 'Blank canvas', 'custom', 0, 0],
  ['page_webinar', 'Webinar follow-up', 'call_followup', 3, 2],
  ['page_old_launch', 'Old launch', 'inbound', 4, 2, 'archived'],
  ['page_old_fair', 'Trade fair 2024', 'outbound', 0, 0, 'archived'],
  ['page_mistake', 'Made by mistake', 'custom', 1, 0, 'deleted'],
];

export const ORCHARD_PAGES: readonly Sketch[] = [
  ['page_orchard', 'Orchard open day', 'inbound', 6, 3],
  ['page_cider', 'Cider tasting', 'custom', 2, 1],
];

/** @param domains every fourth link is on the last of the four. */
export function samplePages(
  sketches: readonly Sketch[],
  domains: readonly string[],
  persons: readonly SampleRow<PersonRow>[],
) {
  const made = sketches.map(([id, name, type, length, links, state], index) => {
    const createdAt = SAMPLE_END_MS - (180 - index * 5) * DAY_MS;
    const own = Array.from({ length }, (_, position) =>
      sampleAudience({ pageId: id, createdAt }, position, persons),
    );
    const audiences = own.map(({ audience }) => audience);
    const versions = own.flatMap((one) => one.versions);
    const endedAt = SAMPLE_END_MS - (5 + index) * DAY_MS;
    const published = audiences.some(({ publishedVersionId }) => publishedVersionId !== null);
    const page: SampleRow<PageRow> = {
      pageId: id,
      name,
      title: `${name} · Content Pages`,
      brandId: index % 2 === 0 ? 'brand_harbour' : 'brand_lantern',
      pageContext: `Visitors of "${name}" want to know what changes for them, and what to do next.`,
      pageType: type,
      status: state === 'archived' ? 'archived' : published ? 'published' : 'draft',
      ...sampleContent(id, name),
      headerActionId: index % 3 === 2 ? null : `action_${id}_1`,
      metadata: index % 5 === 4 ? null : sampleMetadata(id, name),
      archivedAt: state === 'archived' ? endedAt : null,
      deletedAt: state === 'deleted' ? endedAt : null,
      createdAt,
      updatedAt: state === undefined ? createdAt + index * DAY_MS : endedAt,
    };
    const slug = id.replace('page_', '').replaceAll('_', '-');
    // One link of each page was deleted.
    const pageLinks = Array.from({ length: links }, (_, position): SampleRow<PageLinkRow> => {
      // The last link leads to the same audience as the first.
      const audience = audiences[position === links - 1 ? 0 : position % audiences.length];
      const madeAt = createdAt + (position + 1) * DAY_MS;
      return {
        pageLinkId: `link_${slug}_${position + 1}`,
        tenantDomainId: inTurn(domains, position),
        path: `/${slug}/${audience?.personRouteKey ?? `visitor-${position + 1}`}${position === links - 1 ? '-again' : ''}`,
        targetType: 'audience',
        audienceId: audience?.audienceId ?? '',
        createdAt: madeAt,
        updatedAt: madeAt,
        deletedAt: position === 1 && links > 2 ? madeAt + DAY_MS : null,
      };
    });
    return { page, audiences, versions, pageLinks };
  });
  return {
    pages: made.map(({ page }) => page),
    audiences: made.flatMap(({ audiences }) => audiences),
    versions: made.flatMap(({ versions }) => versions),
    pageLinks: made.flatMap(({ pageLinks }) => pageLinks),
  };
}

const LOGO = {
  altText: 'Quillmere',
  url: 'https://cdn.example/logos/quillmere.svg',
  fileId: 'file_quillmere',
  assetId: 'asset_quillmere',
};

function sampleContent(id: string, name: string) {
  const action = (actionIndex: number, purpose: string, buttonTitle: string) => ({
    actionId: `action_${id}_${actionIndex + 1}`,
    actionIndex,
    purpose,
    buttonTitle,
  });
  const link = (number: number, text: string) => ({
    id: `footer_${id}_${number}`,
    text,
    url: `https://www.example/${text.toLowerCase()}`,
  });
  const meeting = action(0, 'Book a meeting with the account team.', 'Book a meeting');
  const question = action(1, 'Answer questions about the offer.', 'Ask a question');
  const script = {
    name: 'Analytics',
    description: 'Counts visits.',
    content: 'window.visits = (window.visits ?? 0) + 1;',
    enabled: true,
    injectionPoint: 'head',
  };
  return {
    actions: [
      { ...meeting, actionType: 'link', url: 'https://calendar.example/book' },
      { ...question, actionType: 'form', url: 'https://forms.example/ask' },
    ],
    actionCardWidgets: [{ type: 'logos', title: 'Trusted by', logos: [{ image: LOGO }] }],
    scripts: [script],
    footerLinks: [
      { id: `footer_${id}`, title: name, links: [link(1, 'Imprint'), link(2, 'Privacy')] },
    ],
  };
}

const sampleMetadata = (id: string, name: string): PageMetadata => ({
  title: name,
  description: `${name}: what is new, and what it means for you.`,
  keywords: ['content', 'pages', ...name.toLowerCase().split(' ')],
  author: 'Content team',
  robots: ['index', 'follow'],
  canonicalUrl: `https://www.example/${id}`,
  ogTitle: name,
  ogImageUrl: `https://cdn.example/${id}.png`,
  ogImageFileId: `file_${id}`,
  ogImageAlt: name,
  ogType: 'website',
  twitterCard: 'summary_large_image',
  themeColor: '#0f4c5c',
});

/**
 * The states of an audience's newest versions, oldest of them first; before these come versions
 * that were published once. Nothing is queued: the publisher would finish it at start.
 */
const HISTORIES: readonly (readonly VersionRow['status'][])[] = [
  ['published', 'draft'],
  ['published'],
  ['published'],
  ['draft'],
  ['published', 'draft'],
  ['published', 'cancelled', 'draft'],
  ['published', 'pending'],
  ['published'],
  ['archived'],
  ['cancelled'],
];

function sampleAudience(
  { pageId, createdAt: pageCreatedAt }: Pick<PageRow, 'pageId' | 'createdAt'>,
  position: number,
  persons: readonly SampleRow<PersonRow>[],
) {
  const key = `${pageId.replace('page_', '')}_${twoDigits(position + 1)}`;
  const audienceId = `audience_${key}`;
  const createdAt = pageCreatedAt + position * 90 * MINUTE_MS;
  const history = inTurn(HISTORIES, position);
  const former = history[0] === 'published' ? position % 4 : 0;
  const statuses = [...Array<'archived'>(former).fill('archived'), ...history];
  // Moments follow the states: a version passes each before the next one is made, a day later.
  const versions = statuses.map((status, index): SampleRow<VersionRow> => {
    const madeAt = createdAt + index * DAY_MS;
    const queueDurationMs = 120 + position * 60;
    const queuedAt = madeAt + (5 + position) * MINUTE_MS;
    const wasPublished = status === 'published' || status === 'archived';
    const endedAt = madeAt + DAY_MS;
    return {
      versionId: `version_${key}_v${index + 1}`,
      audienceId,
      versionNumber: index + 1,
      status,
      isNewPageAgent: index % 2 === 1,
      supplementaryContext: index % 2 === 0 ? `Notes for version ${index + 1}.` : null,
      queueDurationMs: wasPublished ? queueDurationMs : null,
      createdAt: madeAt,
      becameDraftAt: status === 'pending' ? null : madeAt + MINUTE_MS,
      queuedAt: wasPublished ? queuedAt : null,
      publishedAt: wasPublished ? queuedAt + queueDurationMs + 400 : null,
      cancelledAt: status === 'cancelled' ? endedAt : null,
      obsoleteAt: status === 'archived' ? endedAt : null,
      archivedAt: status === 'archived' ? endedAt : null,
    };
  });
  // Every eighth audience has no person; the others share two dozen.
  const person = position % 8 === 7 ? undefined : inTurn(persons.slice(0, 24), position * 5);
  const state = history.at(-1) ?? 'draft';
  const published = versions.find(({ status }) => status === 'published');
  const name = person ? `For ${person.name}` : `Visitors, group ${position + 1}`;
  const audience: SampleRow<AudienceRow> = {
    audienceId,
    pageId,
    computedName: name,
    customName: position % 6 === 2 ? `VIP: ${name}` : null,
    isNewPageAgent: position % 5 === 0,
    personId: person?.personId ?? null,
    personRouteKey: person ? `${person.slug}-${position + 1}` : null,
    status: published ? 'published' : state,
    supplementaryContext: position % 3 === 0 ? 'Met the team at a fair; likes short pages.' : null,
    actionFormIdOverride: position % 7 === 3 ? 'form_demo_request' : null,
    actionFormInstructionsOverride: position % 7 === 3 ? 'Ask for the number of seats.' : null,
    actionUrlOverride: position % 7 === 4 ? 'https://calendar.example/vip' : null,
    metadataOverride: position % 4 === 1 ? { title: name, robots: ['noindex'] } : null,
    latestVersionId: versions.at(-1)?.versionId ?? '',
    publishedVersionId: published?.versionId ?? null,
    archivedAt: state === 'archived' ? createdAt + 30 * DAY_MS : null,
    createdAt,
  };
  return { audience, versions };
}
