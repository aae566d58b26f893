/** The audience, and how one is read by its key. */
import { builder } from '../../graph/builder.ts';
import { Entity } from '../../graph/entity.ts';
import type { Audience } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';
import { findAudience } from './audience.source.ts';

export const AudienceRef = builder.objectRef<Audience>('Audience');

export const audienceEntity = new Entity({
  ref: AudienceRef,
  key: ['pageId', 'audienceId'],
  route: routes.getAudience,
  find: ({ rest }, key, call) => findAudience(rest, key, call),
});
