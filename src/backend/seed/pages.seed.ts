/** Pages of the sample data, with their audiences, versions and links. All names are invented. */
import { sampleAudience } from './audiences.seed.ts';
import { EXAMPLE_PAGE_ID } from './example.ts';
import { sampleContent, sampleMetadata } from './page-content.seed.ts';
import type { Scale } from './people.seed.ts';
import { DAY_MS, SAMPLE_END_MS } from './random.seed.ts';
import type { Random } from './random.seed.ts';
import type {
  AudienceRow,
  PageLinkRow,
  PageRow,
  PersonRow,
  VersionRow,
} from '../database/tables.ts';

interface Sketch {
  readonly id: string;
  readonly name: string;
  readonly type: PageRow['pageType'];
  readonly audiences: number;
  readonly links: number;
  readonly state?: 'archived' | 'deleted';
}

const LARGE: readonly Sketch[] = [
  { id: EXAMPLE_PAGE_ID, name: 'Northwind launch', type: 'inbound', audiences: 48, links: 18 },
  { id: 'page_pricing', name: 'Pricing for teams', type: 'inbound', audiences: 12, links: 4 },
  {
    id: 'page_pricing_enterprise',
    name: 'Enterprise pricing',
    type: 'sales_deck',
    audiences: 9,
    links: 3,
  },
  {
    id: 'page_spring_outreach',
    name: 'Spring outreach',
    type: 'outbound',
    audiences: 105,
    links: 4,
  },
  { id: 'page_autumn_outreach', name: 'Autumn outreach', type: 'outbound', audiences: 7, links: 3 },
  { id: 'page_call_recap', name: 'Call recap', type: 'call_followup', audiences: 15, links: 4 },
  { id: 'page_security', name: 'Security overview', type: 'sales_deck', audiences: 6, links: 3 },
  { id: 'page_onboarding', name: 'Onboarding guide', type: 'custom', audiences: 5, links: 2 },
  { id: 'page_partner', name: 'Partner welcome', type: 'custom', audiences: 4, links: 2 },
  { id: 'page_product_tour', name: 'Product tour', type: 'inbound', audiences: 8, links: 3 },
  { id: 'page_empty', name: 'Blank canvas', type: 'custom', audiences: 0, links: 0 },
  { id: 'page_webinar', name: 'Webinar follow-up', type: 'call_followup', audiences: 3, links: 2 },
  {
    id: 'page_old_launch',
    name: 'Old launch',
    type: 'inbound',
    audiences: 4,
    links: 2,
    state: 'archived',
  },
  {
    id: 'page_old_fair',
    name: 'Trade fair 2024',
    type: 'outbound',
    audiences: 0,
    links: 0,
    state: 'archived',
  },
  {
    id: 'page_mistake',
    name: 'Made by mistake',
    type: 'custom',
    audiences: 1,
    links: 0,
    state: 'deleted',
  },
];

const SMALL: readonly Sketch[] = [
  { id: 'page_orchard', name: 'Orchard open day', type: 'inbound', audiences: 6, links: 3 },
  { id: 'page_cider', name: 'Cider tasting', type: 'custom', audiences: 2, links: 1 },
];

interface PageSeed {
  readonly tenantId: string;
  readonly scale: Scale;
  readonly random: Random;
  readonly domains: { readonly fallbackDomainId: string; readonly customDomainId: string };
  readonly persons: readonly PersonRow[];
}

interface SamplePages {
  readonly pages: PageRow[];
  readonly audiences: AudienceRow[];
  readonly versions: VersionRow[];
  readonly pageLinks: PageLinkRow[];
}

export function samplePages(seed: PageSeed): SamplePages {
  const sketches = seed.scale === 'large' ? LARGE : SMALL;
  const made: SamplePages = { pages: [], audiences: [], versions: [], pageLinks: [] };
  for (const [index, sketch] of sketches.entries()) {
    const createdAt = SAMPLE_END_MS - (180 - index * 5) * DAY_MS;
    const own = Array.from({ length: sketch.audiences }, (_, position) =>
      sampleAudience({ ...seed, pageId: sketch.id, createdAt, position }),
    );
    const audiences = own.map(({ audience }) => audience);
    made.pages.push(samplePage(seed, sketch, index, createdAt, audiences));
    made.audiences.push(...audiences);
    made.versions.push(...own.flatMap(({ versions }) => versions));
    made.pageLinks.push(...sampleLinks(seed, sketch, createdAt, audiences));
  }
  return made;
}

function samplePage(
  { tenantId, random }: PageSeed,
  { id, name, type, state }: Sketch,
  index: number,
  createdAt: number,
  audiences: readonly AudienceRow[],
): PageRow {
  const endedAt = SAMPLE_END_MS - random.int(5, 40) * DAY_MS;
  const published = audiences.some(({ publishedVersionId }) => publishedVersionId !== null);
  return {
    pageId: id,
    tenantId,
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
}

/** Every fourth link is on the custom domain; one of each page was deleted. */
function sampleLinks(
  { tenantId, domains }: PageSeed,
  { id, links }: Sketch,
  createdAt: number,
  audiences: readonly AudienceRow[],
): PageLinkRow[] {
  const slug = id.replace('page_', '').replaceAll('_', '-');
  return Array.from({ length: links }, (_, position): PageLinkRow => {
    // The last link leads to the same audience as the first.
    const audience = audiences[position === links - 1 ? 0 : position % audiences.length];
    const madeAt = createdAt + (position + 1) * DAY_MS;
    return {
      pageLinkId: `link_${slug}_${position + 1}`,
      tenantId,
      tenantDomainId: position % 4 === 3 ? domains.customDomainId : domains.fallbackDomainId,
      path: `/${slug}/${audience?.personRouteKey ?? `visitor-${position + 1}`}${position === links - 1 ? '-again' : ''}`,
      targetType: 'audience',
      audienceId: audience?.audienceId ?? '',
      createdAt: madeAt,
      updatedAt: madeAt,
      deletedAt: position === 1 && links > 2 ? madeAt + DAY_MS : null,
    };
  });
}
