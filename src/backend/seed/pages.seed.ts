/** Pages of the sample data, with their content, audiences, versions and links. All names are invented. */
import { DAY_MS, inTurn, MINUTE_MS, SAMPLE_END_MS, twoDigits, type SampleRow } from './example.ts';
import type {
  PageLinkRow,
  PageRow,
  PersonRow,
  AudienceRow,
  VersionRow,
} from '../database/tables.ts';
import sample from './sample.json' with { type: 'json' };

export interface Sketch {
  readonly id: string;
  readonly name: string;
  readonly type: PageRow['pageType'];
  /** Numbers of audiences and links. */
  readonly audiences: number;
  readonly links: number;
  readonly state?: 'archived' | 'deleted';
}

/** @param domains every fourth link is on the last of the four. */
export function samplePages(
  sketches: readonly Sketch[],
  domains: readonly string[],
  persons: readonly SampleRow<PersonRow>[],
) {
  const made = sketches.map(({ id, name, type, audiences: length, links, state }, index) => {
    const createdAt = SAMPLE_END_MS - (180 - index * 5) * DAY_MS;
    const own = Array.from({ length }, (_, position) =>
      sampleAudience({ pageId: id, createdAt }, position, persons),
    );
    const audiences = own.map(({ audience }) => audience);
    const versions = own.flatMap((one) => one.versions);
    const endedAt = SAMPLE_END_MS - (5 + index) * DAY_MS;
    const published = audiences.some(({ publishedVersionId }) => publishedVersionId !== null);
    const { metadata, ...content } = contentOf(id, name);
    metadata.keywords.push(...name.toLowerCase().split(' '));
    const page: SampleRow<PageRow> = {
      pageId: id,
      name,
      title: `${name} · Content Pages`,
      brandId: index % 2 === 0 ? 'brand_harbour' : 'brand_lantern',
      pageContext: `Visitors of "${name}" want to know what changes for them, and what to do next.`,
      pageType: type,
      status: state === 'archived' ? 'archived' : published ? 'published' : 'draft',
      ...content,
      headerActionId: index % 3 === 2 ? null : `action_${id}_1`,
      metadata: index % 5 === 4 ? null : metadata,
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

const contentOf = (id: string, name: string): typeof sample.content =>
  JSON.parse(
    JSON.stringify(sample.content).replaceAll('{id}', id).replaceAll('{name}', name),
  ) as typeof sample.content;

/**
 * The states of an audience's newest versions, oldest of them first; before these come versions
 * that were published once. Nothing is queued: the publisher would finish it at start.
 */
// Safe cast: TypeScript widens the strings of JSON.
const HISTORIES = sample.histories as readonly (readonly VersionRow['status'][])[];

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
