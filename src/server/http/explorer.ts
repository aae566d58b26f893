/**
 * GraphiQL's files as `npm run build` has made them: the page at `/graphql`, the rest below it.
 *
 * Files are read from disk for each request and never kept, so that the page costs the process no
 * memory. Their names hold hashes of their content, so browsers keep them for ever.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import { negotiateCoding } from '../reply/negotiation.ts';

/** The page's settings, as JSON in the page. */
export interface ExplorerSettings {
  /** False: the schema cannot be asked for, so there are neither docs nor completion. */
  readonly introspection: boolean;
  /** Who is answered with plans and journals. */
  readonly explain: 'on' | 'keys' | 'off';
  /** False: callers without a key are served with the gateway's own. */
  readonly needsKey: boolean;
  /** Changes with the schema, so that browsers know whether theirs is the newest. */
  readonly schemaId?: string | undefined;
  /** The key of the sample data; absent over a deployment. */
  readonly apiKey?: string | undefined;
  /** A page of the sample data; absent over a deployment. */
  readonly pageId?: string | undefined;
}

export interface ExplorerAnswer {
  readonly status: number;
  /** Beside the content length: name, value, name, value. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** The answer to a GET for the page or one of its files; undefined when it is neither. */
export type Explorer = (
  incoming: IncomingMessage,
) => ExplorerAnswer | undefined | Promise<ExplorerAnswer | undefined>;

const PREFIX = '/graphql/explorer/';

const OFF = 'GraphiQL is switched off here (GRAPHIQL=off).';
const NOT_BUILT =
  'GraphiQL was not built here: run "npm ci" with the development packages, then "npm run build".';
const STILL_THERE = 'GraphQL itself is at this address, by POST.';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
  '.svg': 'image/svg+xml',
};

/** The editor writes styles into the page; everything comes from this gateway. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = [
  ...['content-type', 'text/html; charset=utf-8'],
  ...['content-security-policy', POLICY],
  // For browsers that do not know `frame-ancestors`: another page could frame this one and trick
  // its user into pressing Play.
  ...['x-frame-options', 'DENY'],
  ...['x-content-type-options', 'nosniff'],
  ...['referrer-policy', 'no-referrer'],
  ...['cache-control', 'no-cache'],
  ...['vary', 'accept'],
];

/**
 * @param folder `dist/explorer`; undefined when there is none.
 * @param settings called for the first browser; undefined where no page is served.
 */
export function createExplorer(
  folder: string | undefined,
  settings: (() => ExplorerSettings) | undefined,
): Explorer {
  const built = settings && folder && existsSync(join(folder, 'index.html')) ? folder : undefined;
  const files = built ? filesIn(built) : new Map<string, ServedFile>();
  let page: ExplorerAnswer | undefined;
  const openPage = (): ExplorerAnswer =>
    settings && built
      ? { status: 200, headers: PAGE_HEADERS, body: pageIn(built, settings()) }
      : { status: 404, headers: PAGE_HEADERS, body: noticePage(settings ? NOT_BUILT : OFF) };
  return (incoming) => {
    const { url = '' } = incoming;
    if (isPageRequest(incoming)) return (page ??= openPage());
    const file = url.startsWith(PREFIX) ? files.get(url.slice(PREFIX.length)) : undefined;
    return file && readServed(file, String(incoming.headers['accept-encoding'] ?? ''));
  };
}

/** Whether a browser opens the page, and does not send a query. */
function isPageRequest({ url = '', headers }: IncomingMessage): boolean {
  const [path, query = ''] = url.split('?');
  return (
    path === '/graphql' &&
    /\btext\/html\b/i.test(headers.accept ?? '') &&
    !new URLSearchParams(query).has('query')
  );
}

interface ServedFile {
  readonly path: string;
  readonly type: string;
  /** Whether the build has put its codings beside it. */
  readonly isCoded: boolean;
}

const ENDINGS = { br: '.br', gzip: '.gz' } as const;

function filesIn(folder: string): Map<string, ServedFile> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[extname(name)];
      if (!type) return [];
      const path = join(folder, name);
      const isCoded = Object.values(ENDINGS).every((ending) => existsSync(path + ending));
      return [[name.replaceAll('\\', '/'), { path, type, isCoded }]];
    }),
  );
}

/** Undefined when the file is gone because the page was built again. */
async function readServed(file: ServedFile, accepted: string): Promise<ExplorerAnswer | undefined> {
  const coding = file.isCoded ? negotiateCoding(accepted) : undefined;
  const path = file.path + (coding ? ENDINGS[coding] : '');
  const body = await readFile(path).catch(() => undefined);
  return (
    body && {
      status: 200,
      headers: [
        ...['content-type', file.type],
        ...(coding ? ['content-encoding', coding] : []),
        ...['vary', 'accept-encoding'],
        ...['cache-control', 'public, max-age=31536000, immutable'],
        ...['x-content-type-options', 'nosniff'],
        // Only this page may load its workers and modules.
        ...['cross-origin-resource-policy', 'same-origin'],
      ],
      body,
    }
  );
}

/** The page with its settings in the place that it keeps for them. */
function pageIn(folder: string, settings: ExplorerSettings): Buffer {
  // A `</script>` inside of it would end it.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  const html = readFileSync(join(folder, 'index.html'), 'utf8').replace(
    /(<script id="settings"[^>]*>)[^<]*/,
    (_all, open: string) => open + json,
  );
  return Buffer.from(html);
}

const noticePage = (notice: string): Buffer =>
  Buffer.from(
    `<!doctype html><html lang="en"><title>Content Pages · GraphQL</title><p>${notice.replaceAll('"', '&quot;')} ${STILL_THERE}</p></html>`,
  );
