/** Pages of the sample data, with their audiences, versions and links. All names are invented. */
import { sampleAudience } from './audiences.seed.ts';
import { EXAMPLE_PAGE_ID } from './example.ts';
import { sampleContent, sampleMetadata } from './page-content.seed.ts';
import { DAY_MS, inTurn, SAMPLE_END_MS, type SampleRow } from './sample-row.ts';
import type { PageLinkRow, PageRow, PersonRow } from '../database/tables.ts';

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
