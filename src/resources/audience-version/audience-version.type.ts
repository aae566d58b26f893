/**
 * The GraphQL type of audience versions.
 *
 * Source: interface.md, "AudienceVersion"; `pageId` is the gateway's addition.
 */
import { nodeType } from '../../graph/types/node-type.ts';
import { restFields } from '../../graph/types/rest-fields.ts';
import { AudienceVersion } from '../../v0/audience.ts';
import { AudienceStatusRef } from '../audience/audience.type.ts';
import { audienceVersionEntity } from './audience-version.entity.ts';

nodeType(audienceVersionEntity, {
  description:
    'A version of an audience. Publishing is asynchronous: the status goes from `draft` through `queued` and `processing` to `published` or `cancelled`.',
  fields: (t) => ({
    pageId: t.exposeID('pageId', {
      description:
        'Raw id of the page of this version. Added by the gateway: the REST API leaves it out.',
    }),
    ...restFields(t, AudienceVersion, {
      versionId: 'Raw id of this version in the REST API.',
      audienceId: 'Raw id of the audience of this version.',
      versionNumber: 'Number of the version within its audience, counted from 1.',
      status: {
        type: AudienceStatusRef,
        description:
          'Publishing status. Null with an error when the backend answers a status that this schema does not have.',
      },
      isNewPageAgent: 'Whether the new page agent serves this version.',
      supplementaryContext: 'Context in addition to `Page.pageContext`. Null when there is none.',
      queueDurationMs:
        'Time spent in the publishing queue, in milliseconds. Null when the backend has not measured any.',
      createdAt: 'Time of creation.',
      becameDraftAt: 'Time at which the version became a draft. Null if it never was one.',
      queuedAt: 'Time of queueing for publishing. Null if never queued.',
      publishedAt: 'Time of publication. Null if never published.',
      cancelledAt: 'Time of cancellation. Null if never cancelled.',
      obsoleteAt: 'Time at which a newer version replaced this one. Null if not replaced.',
      archivedAt: 'Time of archiving. Null if not archived.',
    }),
  }),
});
