/**
 * The documentation as its test reads it: pages with their blocks of code, words in code, links and
 * headings.
 *
 * The words after a block's language tell how it is tested: `sh run`, `json answer`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of code. */
export interface Block {
  /** File and line: `docs/graph.md:12`. */
  readonly place: string;
  readonly language: string;
  /** The words after the language: `run`, `answer`, variables as JSON. */
  readonly info: string;
  readonly text: string;
  /** The block after it, if that is the response of this one. */
  readonly answer: Pick<Block, 'language' | 'text'> | undefined;
}

export interface Page {
  /** From the root: `docs/graph.md`. */
  readonly file: string;
  /** Without its blocks. */
  readonly prose: string;
  readonly blocks: readonly Block[];
  /** The code between backticks in the prose. */
  readonly words: readonly string[];
  /** Targets of links and pictures inside the project: `costs.md#the-budget`. */
  readonly links: readonly string[];
  /** As GitHub makes them of headings. */
  readonly anchors: ReadonlySet<string>;
  /** The table rows of the prose, cell by cell, each with its heading. */
  readonly rows: readonly { readonly heading: string; readonly cells: readonly string[] }[];
}

const AT_THE_TOP = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];

export function readPages(): readonly Page[] {
  const inDocs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file));
  return [...AT_THE_TOP.filter((file) => existsSync(join(ROOT, file))), ...inDocs.sort()].map(
    readPage,
  );
}

/** The prose of a page in one line. */
export const textOf = ({ prose }: Page): string => prose.replace(/\s+/g, ' ');

/** @param file from the root: `docs/graph.md` */
export function readPage(file: string): Page {
  const { prose, blocks } = partOf(file, readFileSync(join(ROOT, file), 'utf8').split('\n'));
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return {
    file,
    prose,
    blocks,
    words: [...prose.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word!),
    links: [...prose.matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, target]) => target!),
    anchors: new Set(headings.map(anchorOf)),
    rows: rowsOf(prose),
  };
}

function partOf(file: string, lines: readonly string[]): Pick<Page, 'prose' | 'blocks'> {
  const blocks: Block[] = [];
  const prose: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const [, language, info] = /^```(\w+) ?(.*)$/.exec(lines[i]!) ?? [];
    if (language === undefined) {
      prose.push(lines[i]!);
      continue;
    }
    const end = lines.indexOf('```', i + 1);
    const text = lines.slice(i + 1, end).join('\n');
    blocks.push({ place: `${file}:${i + 1}`, language, info: info!, text, answer: undefined });
    i = end;
  }
  return {
    prose: prose.join('\n'),
    blocks: blocks.map((block, i) => {
      const next = blocks[i + 1];
      return { ...block, answer: next?.info === 'answer' ? next : undefined };
    }),
  };
}

function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function rowsOf(prose: string): Page['rows'] {
  const rows: { heading: string; cells: readonly string[] }[] = [];
  let heading = '';
  for (const line of prose.split('\n')) {
    heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading;
    if (!line.startsWith('|') || /^\|[\s:|-]+$/.test(line)) continue;
    const cells = line.split('|').slice(1, -1);
    rows.push({ heading, cells: cells.map((cell) => cell.trim()) });
  }
  return rows;
}
