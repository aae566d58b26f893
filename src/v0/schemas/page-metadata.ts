/**
 * Metadata of pages and audiences, for search engines and link previews.
 *
 * Source: interface.md, "PageMetadata". Requests have the same fields without the four of images.
 */
import { z } from 'zod';
import { bodyOf } from './body.ts';
import { looseString } from './primitive.ts';

/** Assumed: `robots` is a list of strings; `ogType` and `twitterCard` are in the public reference. */
export const PageMetadata = z.object({
  title: looseString.describe('Document title (`<title>`).'),
  description: looseString.describe('Meta description, shown in search results.'),
  author: looseString.describe('Author of the document (`<meta name="author">`).'),
  canonicalUrl: looseString.describe(
    'Canonical URL for search engines (`<link rel="canonical">`).',
  ),
  ogTitle: looseString.describe('Open Graph title (`og:title`).'),
  ogDescription: looseString.describe('Open Graph description (`og:description`).'),
  ogImageAlt: looseString.describe('Alternative text of the Open Graph image (`og:image:alt`).'),
  ogSiteName: looseString.describe('Open Graph site name (`og:site_name`).'),
  ogUrl: looseString.describe('Open Graph URL (`og:url`).'),
  twitterTitle: looseString.describe('Twitter card title (`twitter:title`).'),
  twitterDescription: looseString.describe('Twitter card description (`twitter:description`).'),
  twitterImageAlt: looseString.describe(
    'Alternative text of the Twitter card image (`twitter:image:alt`).',
  ),
  twitterSite: looseString.describe('Twitter handle of the site (`twitter:site`).'),
  twitterCreator: looseString.describe('Twitter handle of the author (`twitter:creator`).'),
  themeColor: looseString.describe(
    'Theme colour of the browser interface (`theme-color`), as a CSS colour.',
  ),
  keywords: z
    .array(z.string())
    .nullish()
    .describe('Keywords of the document (`<meta name="keywords">`).'),
  robots: z
    .array(z.string())
    .nullish()
    .describe('Robots directives for crawlers, such as `noindex`.'),
  ogImageUrl: looseString.describe('URL of the Open Graph image (`og:image`).'),
  ogImageFileId: looseString.describe('ID of the file of the Open Graph image.'),
  twitterImageUrl: looseString.describe('URL of the Twitter card image (`twitter:image`).'),
  twitterImageFileId: looseString.describe('ID of the file of the Twitter card image.'),
  ogType: looseString.describe('Open Graph type (`og:type`).'),
  twitterCard: looseString.describe('Twitter card type (`twitter:card`).'),
});
export type PageMetadata = z.infer<typeof PageMetadata>;

/** Metadata in request bodies: without the four image fields. Source: "PageMetadata". */
export const PageMetadataInput = bodyOf(
  PageMetadata,
  'ogImageUrl',
  'ogImageFileId',
  'twitterImageUrl',
  'twitterImageFileId',
  'ogType',
  'twitterCard',
);
export type PageMetadataInput = z.infer<typeof PageMetadataInput>;
