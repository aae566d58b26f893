/**
 * The GraphQL type of audience versions.
 *
 * Source: interface.md, "AudienceVersion"; `pageId` is the gateway's addition.
 */
import { nullOnlyWithError } from '../../graph/types/semantic-non-null.ts';
import { nodeType } from '../../graph/types/node-type.ts';
import { AudienceStatusRef } from '../audience/audience.type.ts';
import { audienceVersionEntity } from './audience-version.entity.ts';

nodeType(audienceVersionEntity, {
  description:
    'A version of an audience. Publishing is asynchronous: the status goes from `draft` through `queued` and `processing` to `published` or `cancelled`.',
  fields: (t) => {
    const time = (
      name:
        'becameDraftAt' | 'queuedAt' | 'publishedAt' | 'cancelledAt' | 'obsoleteAt' | 'archivedAt',
      description: string,
    ) => t.expose(name, { type: 'DateTime', nullable: true, description });
    return {
      versionId: t.exposeID('versionId', {
        description: 'Raw id of this version in the REST API.',
      }),
      audienceId: t.exposeID('audienceId', {
        description: 'Raw id of the audience of this version.',
      }),
      pageId: t.exposeID('pageId', {
        description:
          'Raw id of the page of this version. Added by the gateway: the REST API leaves it out.',
      }),
      versionNumber: t.expose('versionNumber', {
        type: 'SafeInt',
        description: 'Number of the version within its audience, counted from 1.',
      }),
      status: t.expose('status', {
        type: AudienceStatusRef,
        nullable: true,
        extensions: nullOnlyWithError(),
        description:
          'Publishing status. Null with an error when the backend answers a status that this schema does not have.',
      }),
      isNewPageAgent: t.exposeBoolean('isNewPageAgent', {
        description: 'Whether the new page agent serves this version.',
      }),
      supplementaryContext: t.exposeString('supplementaryContext', {
        nullable: true,
        description: 'Context in addition to `Page.pageContext`. Null when there is none.',
      }),
      queueDurationMs: t.exposeFloat('queueDurationMs', {
        nullable: true,
        description:
          'Time spent in the publishing queue, in milliseconds. Null when the backend has not measured any.',
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
      becameDraftAt: time(
        'becameDraftAt',
        'Time at which the version became a draft. Null if it never was one.',
      ),
      queuedAt: time('queuedAt', 'Time of queueing for publishing. Null if never queued.'),
      publishedAt: time('publishedAt', 'Time of publication. Null if never published.'),
      cancelledAt: time('cancelledAt', 'Time of cancellation. Null if never cancelled.'),
      obsoleteAt: time(
        'obsoleteAt',
        'Time at which a newer version replaced this one. Null if not replaced.',
      ),
      archivedAt: time('archivedAt', 'Time of archiving. Null if not archived.'),
    };
  },
});
