/**
 * The GraphQL type of page metadata, which audiences have too.
 *
 * Source: interface.md, "PageMetadata". Every value may be absent.
 */
import { restType } from '../../graph/schema/rest-type.ts';
import { PageMetadata } from '../../v0/schemas/page-metadata.ts';

/** What each field means, in answers and in inputs. */
export const METADATA_DESCRIPTIONS = {
  title: 'Document title (`<title>`).',
  description: 'Meta description, which search engines show in results.',
  author: 'Author of the document (`<meta name="author">`).',
  canonicalUrl: 'Canonical URL, by which search engines index the page (`<link rel="canonical">`).',
  ogTitle: 'Open Graph title (`og:title`).',
  ogDescription: 'Open Graph description (`og:description`).',
  ogImageUrl: 'URL of the Open Graph image (`og:image`).',
  ogImageFileId: 'Raw id of the file of the Open Graph image.',
  ogImageAlt: 'Alternative text of the Open Graph image (`og:image:alt`).',
  ogSiteName: 'Open Graph site name (`og:site_name`).',
  ogUrl: 'Open Graph URL (`og:url`).',
  ogType: 'Open Graph type (`og:type`).',
  twitterTitle: 'Twitter card title (`twitter:title`).',
  twitterDescription: 'Twitter card description (`twitter:description`).',
  twitterImageUrl: 'URL of the Twitter card image (`twitter:image`).',
  twitterImageFileId: 'Raw id of the file of the Twitter card image.',
  twitterImageAlt: 'Alternative text of the Twitter card image (`twitter:image:alt`).',
  twitterSite: 'Twitter handle of the site (`twitter:site`).',
  twitterCreator: 'Twitter handle of the author (`twitter:creator`).',
  twitterCard: 'Twitter card type (`twitter:card`).',
  themeColor: 'Theme colour of the browser interface (`theme-color`), as a CSS colour.',
  keywords: 'Keywords of the document (`<meta name="keywords">`).',
  robots: 'Robots directives for crawlers, such as `noindex`.',
} as const satisfies Record<keyof PageMetadata, string>;

export const PageMetadataRef = restType('PageMetadata', PageMetadata, {
  description:
    'Metadata for search engines and link previews. Any field is null when the backend leaves it out.',
  fields: {
    ...METADATA_DESCRIPTIONS,
    // Ids were texts when they were first published.
    ogImageFileId: { type: 'String', description: METADATA_DESCRIPTIONS.ogImageFileId },
    twitterImageFileId: { type: 'String', description: METADATA_DESCRIPTIONS.twitterImageFileId },
  },
});
