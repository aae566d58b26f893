/** Audiences of the sample data, each with a history of versions that fits its state. */
import { DAY_MS, inTurn, MINUTE_MS, twoDigits, type SampleRow } from './sample-row.ts';
import type { AudienceRow, PageRow, PersonRow, VersionRow } from '../database/tables.ts';

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

export function sampleAudience(
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
