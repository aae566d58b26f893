/** What stands on a page of the sample data. All names are invented. */
import type { PageMetadata } from '../../v0/schemas/page-metadata.ts';

export const sampleContent = (id: string, name: string) => ({
  actions: [
    {
      actionId: `action_${id}_1`,
      actionIndex: 0,
      purpose: 'Book a meeting with the account team.',
      buttonTitle: 'Book a meeting',
      actionType: 'link',
      url: 'https://calendar.example/book',
    },
    {
      actionId: `action_${id}_2`,
      actionIndex: 1,
      purpose: 'Answer questions about the offer.',
      buttonTitle: 'Ask a question',
      actionType: 'form',
      url: 'https://forms.example/ask',
    },
  ],
  actionCardWidgets: [
    {
      type: 'logos',
      title: 'Trusted by',
      logos: ['Quillmere', 'Fennwick'].map((company) => ({
        image: {
          altText: company,
          url: `https://cdn.example/logos/${company.toLowerCase()}.svg`,
          fileId: `file_${company.toLowerCase()}`,
          assetId: `asset_${company.toLowerCase()}`,
        },
      })),
    },
  ],
  scripts: [
    {
      name: 'Analytics',
      description: 'Counts visits.',
      content: 'window.visits = (window.visits ?? 0) + 1;',
      enabled: true,
      injectionPoint: 'head',
    },
  ],
  footerLinks: [
    {
      id: `footer_${id}`,
      title: name,
      links: [
        { id: `footer_${id}_1`, text: 'Imprint', url: 'https://www.example/imprint' },
        { id: `footer_${id}_2`, text: 'Privacy', url: 'https://www.example/privacy' },
      ],
    },
  ],
});

export const sampleMetadata = (id: string, name: string): PageMetadata => ({
  title: name,
  description: `${name}: what is new, and what it means for you.`,
  keywords: ['content', 'pages', ...name.toLowerCase().split(' ')],
  author: 'Content team',
  robots: ['index', 'follow'],
  canonicalUrl: `https://www.example/${id}`,
  ogTitle: name,
  ogImageUrl: `https://cdn.example/${id}.png`,
  ogImageFileId: `file_${id}`,
  ogImageAlt: name,
  ogType: 'website',
  twitterCard: 'summary_large_image',
  themeColor: '#0f4c5c',
});
