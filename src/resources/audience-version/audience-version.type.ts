/**
 * Versions of audiences as the graph shows them.
 *
 * Source: interface.md, "AudienceVersion"; `pageId` is the gateway's addition.
 */
import { nodeType } from '../../graph/types/node-type.ts';
import { AudienceStatusRef } from '../audience/audience.type.ts';
import { audienceVersionEntity } from './audience-version.entity.ts';

nodeType(audienceVersionEntity, {
  description: 'One state of an audience. It moves draft → queued → processing → published.',
  fields: (t) => {
    const moment = (
      name:
        'becameDraftAt' | 'queuedAt' | 'publishedAt' | 'cancelledAt' | 'obsoleteAt' | 'archivedAt',
      description: string,
    ) => t.expose(name, { type: 'DateTime', nullable: true, description });
    return {
      versionId: t.exposeID('versionId', { description: 'The id REST knows this version by.' }),
      audienceId: t.exposeID('audienceId', { description: 'Its audience, by its REST id.' }),
      pageId: t.exposeID('pageId', {
        description: 'Its page, by its REST id. REST does not say it: the gateway adds it.',
      }),
      versionNumber: t.expose('versionNumber', {
        type: 'SafeInt',
        description: 'Its number among the versions of its audience, from 1.',
      }),
      status: t.expose('status', {
        type: AudienceStatusRef,
        nullable: true,
        description:
          'Where it stands. Null with an error when the backend names a status unknown here.',
      }),
      isNewPageAgent: t.exposeBoolean('isNewPageAgent', {
        description: 'Whether the new page agent serves it.',
      }),
      supplementaryContext: t.exposeString('supplementaryContext', {
        nullable: true,
        description: 'What is to be known beside the page’s own context.',
      }),
      queueDurationMs: t.exposeFloat('queueDurationMs', {
        nullable: true,
        description: 'How long it was queued, in milliseconds.',
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
      becameDraftAt: moment('becameDraftAt', 'When it became a draft.'),
      queuedAt: moment('queuedAt', 'When it was queued for publishing.'),
      publishedAt: moment('publishedAt', 'When it was published.'),
      cancelledAt: moment('cancelledAt', 'When its publishing was cancelled.'),
      obsoleteAt: moment('obsoleteAt', 'When a newer version took its place.'),
      archivedAt: moment('archivedAt', 'When it was archived.'),
    };
  },
});
