/**
 * The audience, and the route that reads one by its key. Its latest and its published version come with it.
 */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import type { Audience } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';

export const AudienceRef = builder.objectRef<Audience>('Audience');

export const audienceEntity = new Entity({
  ref: AudienceRef,
  key: ['pageId', 'audienceId'],
  route: routes.getAudience,
});
