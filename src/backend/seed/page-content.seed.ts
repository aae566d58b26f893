/** What stands on a page of the sample data. All names are invented. */
import type { PageMetadata } from '../../v0/schemas/page-metadata.ts';

const LOGO = {
  altText: 'Quillmere',
  url: 'https://cdn.example/logos/quillmere.svg',
  fileId: 'file_quillmere',
  assetId: 'asset_quillmere',
};

export function sampleContent(id: string, name: string) {
  const action = (actionIndex: number, purpose: string, buttonTitle: string) => ({
    actionId: `action_${id}_${actionIndex + 1}`,
    actionIndex,
    purpose,
    buttonTitle,
  });
  const link = (number: number, text: string) => ({
    id: `footer_${id}_${number}`,
    text,
    url: `https://www.example/${text.toLowerCase()}`,
  });
  const meeting = action(0, 'Book a meeting with the account team.', 'Book a meeting');
  const question = action(1, 'Answer questions about the offer.', 'Ask a question');
  const script = {
    name: 'Analytics',
    description: 'Counts visits.',
    content: 'window.visits = (window.visits ?? 0) + 1;',
    enabled: true,
    injectionPoint: 'head',
  };
  return {
    actions: [
      { ...meeting, actionType: 'link', url: 'https://calendar.example/book' },
      { ...question, actionType: 'form', url: 'https://forms.example/ask' },
    ],
    actionCardWidgets: [{ type: 'logos', title: 'Trusted by', logos: [{ image: LOGO }] }],
    scripts: [script],
    footerLinks: [
      { id: `footer_${id}`, title: name, links: [link(1, 'Imprint'), link(2, 'Privacy')] },
    ],
  };
}

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
