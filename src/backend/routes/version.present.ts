/** A version as callers see it. Source: interface.md, "AudienceVersion". */
import type { AudienceVersion } from '../../v0/audience.ts';
import type { VersionRow } from '../database/tables.ts';
import type { WriteTime } from '../time.ts';

export const presentVersion = (
  { tenantId: _, ...row }: VersionRow,
  time: WriteTime,
): AudienceVersion => ({
  ...row,
  createdAt: time(row.createdAt),
  becameDraftAt: time(row.becameDraftAt),
  queuedAt: time(row.queuedAt),
  publishedAt: time(row.publishedAt),
  cancelledAt: time(row.cancelledAt),
  obsoleteAt: time(row.obsoleteAt),
  archivedAt: time(row.archivedAt),
});
