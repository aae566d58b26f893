/**
 * What search engines and link previews are told about a page; audiences have it too.
 *
 * Source: interface.md, "PageMetadata". Every value may be absent.
 */
import { builder } from '../../graph/types/builder.ts';
import type { PageMetadata } from '../../v0/page-metadata.ts';

const TEXTS = {
  title: 'The title of the document.',
  description: 'The description in search results.',
  author: 'Who wrote it.',
  canonicalUrl: 'The address that counts for search engines.',
  ogTitle: 'Open Graph: the title.',
  ogDescription: 'Open Graph: the description.',
  ogImageUrl: 'Open Graph: where the picture is.',
  ogImageFileId: 'Open Graph: the picture’s file, by its REST id.',
  ogImageAlt: 'Open Graph: text for those who can’t see the picture.',
  ogSiteName: 'Open Graph: the name of the site.',
  ogUrl: 'Open Graph: the address.',
  ogType: 'Open Graph: what kind of thing it is.',
  twitterTitle: 'Twitter card: the title.',
  twitterDescription: 'Twitter card: the description.',
  twitterImageUrl: 'Twitter card: where the picture is.',
  twitterImageFileId: 'Twitter card: the picture’s file, by its REST id.',
  twitterImageAlt: 'Twitter card: text for those who can’t see the picture.',
  twitterSite: 'Twitter card: the account of the site.',
  twitterCreator: 'Twitter card: the account of the author.',
  twitterCard: 'Twitter card: which form the card has.',
  themeColor: 'The colour browsers put around the page.',
} as const satisfies Partial<Record<keyof PageMetadata, string>>;

type TextName = keyof typeof TEXTS;

export const PageMetadataRef = builder.objectRef<PageMetadata>('PageMetadata');
builder.objectType(PageMetadataRef, {
  description: 'What search engines and link previews are told.',
  fields: (t) => {
    const text = (name: TextName) =>
      t.exposeString(name, { nullable: true, description: TEXTS[name] });
    const texts = Object.fromEntries(
      // Object.keys forgets the names; they are exactly those of TEXTS.
      (Object.keys(TEXTS) as TextName[]).map((name) => [name, text(name)]),
    ) as Record<TextName, ReturnType<typeof text>>;
    return {
      ...texts,
      keywords: t.exposeStringList('keywords', { nullable: true, description: 'Keywords.' }),
      robots: t.exposeStringList('robots', {
        nullable: true,
        description: 'Directives for crawlers.',
      }),
    };
  },
});
