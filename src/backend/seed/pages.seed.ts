/** Pages of the sample data, with their audiences, versions and links. All names are invented. */
import { sampleAudience } from './audiences.seed.ts';
import { EXAMPLE_PAGE_ID } from './example.ts';
import { sampleContent, sampleMetadata } from './page-content.seed.ts';
import type { Scale } from './people.seed.ts';
import { DAY_MS, SAMPLE_END_MS } from './random.seed.ts';
import type { Random, SampleRow } from './random.seed.ts';
import type { PageLinkRow, PageRow, PersonRow } from '../database/tables.ts';

const sketch = (
  id: string,
  name: string,
  type: PageRow['pageType'],
  audiences: number,
  links: number,
  state?: 'archived' | 'deleted',
) => ({ id, name, type, audiences, links, state });

const LARGE = [
  sketch(EXAMPLE_PAGE_ID, 'Northwind launch', 'inbound', 48, 18),
  sketch('page_pricing', 'Pricing for teams', 'inbound', 12, 4),
  sketch('page_pricing_enterprise', 'Enterprise pricing', 'sales_deck', 9, 3),
  sketch('page_spring_outreach', 'Spring outreach', 'outbound', 105, 4),
  sketch('page_autumn_outreach', 'Autumn outreach', 'outbound', 7, 3),
  sketch('page_call_recap', 'Call recap', 'call_followup', 15, 4),
  sketch('page_security', 'Security overview', 'sales_deck', 6, 3),
  sketch('page_onboarding', 'Onboarding guide', 'custom', 5, 2),
  sketch('page_partner', 'Partner welcome', 'custom', 4, 2),
  sketch('page_product_tour', 'Product tour', 'inbound', 8, 3),
  sketch('page_empty', 'Blank canvas', 'custom', 0, 0),
  sketch('page_webinar', 'Webinar follow-up', 'call_followup', 3, 2),
  sketch('page_old_launch', 'Old launch', 'inbound', 4, 2, 'archived'),
  sketch('page_old_fair', 'Trade fair 2024', 'outbound', 0, 0, 'archived'),
  sketch('page_mistake', 'Made by mistake', 'custom', 1, 0, 'deleted'),
];

const SMALL = [
  sketch('page_orchard', 'Orchard open day', 'inbound', 6, 3),
  sketch('page_cider', 'Cider tasting', 'custom', 2, 1),
];

interface PageSeed {
  readonly scale: Scale;
  readonly random: Random;
  readonly domains: { readonly fallbackDomainId: string; readonly customDomainId: string };
  readonly persons: readonly SampleRow<PersonRow>[];
}

export function samplePages({ scale, random, domains, persons }: PageSeed) {
  const sketches = scale === 'large' ? LARGE : SMALL;
  const made = sketches.map(({ id, name, type, audiences: length, links, state }, index) => {
    const createdAt = SAMPLE_END_MS - (180 - index * 5) * DAY_MS;
    const own = Array.from({ length }, (_, position) =>
      sampleAudience({ pageId: id, createdAt, position, persons, random }),
    );
    const audiences = own.map(({ audience }) => audience);
    const versions = own.flatMap((one) => one.versions);
    const endedAt = SAMPLE_END_MS - random.int(5, 40) * DAY_MS;
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
      updatedAt: state === undefined ? createdAt + random.int(1, 60) * DAY_MS : endedAt,
    };
    const slug = id.replace('page_', '').replaceAll('_', '-');
    // Every fourth link is on the custom domain; one of each page was deleted.
    const pageLinks = Array.from({ length: links }, (_, position): SampleRow<PageLinkRow> => {
      // The last link leads to the same audience as the first.
      const audience = audiences[position === links - 1 ? 0 : position % audiences.length];
      const madeAt = createdAt + (position + 1) * DAY_MS;
      return {
        pageLinkId: `link_${slug}_${position + 1}`,
        tenantDomainId: position % 4 === 3 ? domains.customDomainId : domains.fallbackDomainId,
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
