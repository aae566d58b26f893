/**
 * Metadata of pages and audiences, for search engines and link previews.
 *
 * Source: interface.md, "PageMetadata". Requests have the same fields but the four of images.
 */
import { z } from 'zod';
import { looseString } from '../primitive.ts';

/** Metadata fields that requests and answers share. */
const METADATA_TEXTS = [
  'title',
  'description',
  'author',
  'canonicalUrl',
  'ogTitle',
  'ogDescription',
  'ogImageAlt',
  'ogSiteName',
  'ogUrl',
  'twitterTitle',
  'twitterDescription',
  'twitterImageAlt',
  'twitterSite',
  'twitterCreator',
  'themeColor',
] as const;

/** Assumed: `robots` is a list of strings; `ogType` and `twitterCard` are in the public reference. */
export const PageMetadata = z.object({
  ...textFields(METADATA_TEXTS, looseString),
  keywords: z.array(z.string()).nullish(),
  robots: z.array(z.string()).nullish(),
  ogImageUrl: looseString,
  ogImageFileId: looseString,
  twitterImageUrl: looseString,
  twitterImageFileId: looseString,
  ogType: looseString,
  twitterCard: looseString,
});
export type PageMetadata = z.infer<typeof PageMetadata>;

/** Metadata in request bodies: without the four image fields. Source: "PageMetadata". */
export const PageMetadataInput = z.strictObject({
  ...textFields(METADATA_TEXTS, z.string().optional()),
  keywords: z.array(z.string()).optional(),
  robots: z.array(z.string()).optional(),
});
export type PageMetadataInput = z.infer<typeof PageMetadataInput>;

function textFields<Name extends string, Schema>(names: readonly Name[], schema: Schema) {
  // Object.fromEntries forgets the names; the keys are exactly `names`.
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}
