/**
 * The GraphQL type of page metadata, which audiences have too.
 *
 * Source: interface.md, "PageMetadata". Every value may be absent.
 */
import { restType } from '../../graph/schema/rest-type.ts';
import { PageMetadata } from '../../v0/schemas/page-metadata.ts';

export const PageMetadataRef = restType('PageMetadata', PageMetadata, {
  description:
    'Metadata for search engines and link previews. Fields that the backend omits are null.',
  fields: {
    // These ids were published as String.
    ogImageFileId: { type: 'String' },
    twitterImageFileId: { type: 'String' },
  },
});
