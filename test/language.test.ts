/** Docs, messages and comments use the field's terms, and stay short: the rules under "Language" in CONTRIBUTING.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readPages, ROOT } from './support/pages.ts';
import { TERMS } from './support/terms.ts';

const pages = readPages();

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

describe('src and the schema', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    // Sample data contains texts of users, such as 'Ask for the number of seats.'
    .filter((file) => /\.tsx?$/.test(file) && !/generated|^backend\/seed\//.test(file))
    .map((file) => join('src', file));

  it('use the field’s terms in comments, messages and descriptions', () => {
    const schema = readFileSync(join(ROOT, 'schema.graphql'), 'utf8');
    const descriptions = schema.match(/"""[^]*?"""|^\s*"[^"\n]+"$/gm)!;

    const found = [
      ...files.flatMap((file) => textsOf(file).flatMap(({ place, text }) => termsIn(place, text))),
      ...descriptions.flatMap((text) => termsIn('schema.graphql', text)),
    ];

    expect(files.length).toBeGreaterThan(200);
    expect(descriptions.length).toBeGreaterThan(100);
    expect(found).toEqual([]);
  });

  /** Comments, and strings of several words. */
  function textsOf(file: string): { readonly place: string; readonly text: string }[] {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    const ranges = new Map<number, number>();
    const visit = (node: ts.Node): void => {
      const comments = [
        ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
        ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
      ];
      for (const { pos, end } of comments) ranges.set(pos, end);
      if (isText(node) && /\S\s\S/.test(node.text)) ranges.set(node.getStart(source), node.end);
      ts.forEachChild(node, visit);
    };
    visit(source);
    return [...ranges].map(([start, end]) => ({
      place: `${file}:${source.getLineAndCharacterOfPosition(start).line + 1}`,
      text: text.slice(start, end),
    }));
  }

  const isText = (node: ts.Node): node is ts.LiteralLikeNode =>
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node) ||
    ts.isJsxText(node);
});

it('titles of tests use the field’s terms', () => {
  const titles = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .flatMap((file) => titlesOf(join('test', file)));

  expect(titles.length).toBeGreaterThan(2_000);
  expect(titles.flatMap(({ place, title }) => termsIn(place, title))).toEqual([]);

  function titlesOf(file: string): { readonly place: string; readonly title: string }[] {
    const source = ts.createSourceFile(
      file,
      readFileSync(join(ROOT, file), 'utf8'),
      ts.ScriptTarget.Latest,
    );
    const found: { readonly place: string; readonly title: string }[] = [];
    const visit = (node: ts.Node): void => {
      const [title] = ts.isCallExpression(node) ? node.arguments : [];
      if (title && ts.isStringLiteralLike(title) && isTest(node)) {
        found.push({ place: file, title: title.text });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  }

  /** Whether it calls `it`, `describe`, or what they return, such as `it.each(…)`. */
  function isTest(node: ts.Node): boolean {
    if (ts.isIdentifier(node)) return node.text === 'it' || node.text === 'describe';
    const isPart = ts.isCallExpression(node) || ts.isPropertyAccessExpression(node);
    return isPart && isTest(node.expression);
  }
});
