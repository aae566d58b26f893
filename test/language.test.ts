/** Docs use the field's terms, and are short: the rules under "Language" in CONTRIBUTING.md. */
import { describe, expect, it } from 'vitest';
import { readPages } from './support/pages.ts';
import { TERMS } from './support/terms.ts';

/** Pages that still have to be rewritten. */
const PENDING =
  /^docs\/(?:decisions\/.*|adding-a-resource|agents|another-api|architecture|caching|clients|explorer|federation|graph|incremental-delivery|own-documents|pagination|plugins|settings|subscriptions|testing|trusted-documents)\.md$/;

const pages = readPages().filter(({ file }) => !PENDING.test(file));

/** Prose without inline code, the targets of links, and HTML comments. */
const wordsOf = (prose: string): string =>
  prose
    .replace(/<!--.*?-->/gs, '')
    .replace(/(`+)(?:(?!\1).)+?\1/g, '`code`')
    .replace(/\]\([^)]*\)/g, ']');

const countOf = (text: string): number => text.match(/\S*\p{L}\S*|\S*\d\S*/gu)?.length ?? 0;

/** The terms of a text, with the words around them. */
function termsIn(place: string, text: string): string[] {
  const line = wordsOf(text).replace(/\s+(?:\*+ |\/\/+ )?/g, ' ');
  return Object.entries(TERMS).flatMap(([rule, term]) =>
    [...line.matchAll(new RegExp(term, 'gi'))].map(
      ({ index }) => `${place}: ${rule}: … ${line.slice(Math.max(0, index - 30), index + 40)} …`,
    ),
  );
}

describe('pages', () => {
  it('use the field’s terms', () => {
    expect(pages.flatMap(({ file, prose }) => termsIn(file, prose))).toEqual([]);
  });

  it('have at most 1,800 words', () => {
    const long = pages.filter(({ prose }) => countOf(wordsOf(prose)) > 1_800);

    expect(long.map(({ file }) => file)).toEqual([]);
  });

  it('have at most 25 words in a cell of a table', () => {
    const cells = pages.flatMap(({ file, rows }) =>
      rows.flatMap((row) => row.cells.map((cell) => ({ file, cell }))),
    );

    const long = cells.filter(({ cell }) => countOf(wordsOf(cell)) > 25);

    expect(long.map(({ file, cell }) => `${file}: ${cell}`)).toEqual([]);
  });

  it('have at most 40 words in a sentence of the README', () => {
    const { prose } = pages.find(({ file }) => file === 'README.md')!;
    const paragraphs = wordsOf(prose).split(/\n\n|\n(?=[-#|])/);

    const sentences = paragraphs
      .filter((paragraph) => !/^[#|]/.test(paragraph))
      .flatMap((paragraph) => paragraph.replace(/\s+/g, ' ').split(/(?<=[.!?:]) /));

    expect(sentences.filter((sentence) => countOf(sentence) > 40)).toEqual([]);
  });
});
