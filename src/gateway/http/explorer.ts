/**
 * GraphiQL: the page at `/graphql`, its files below it as `npm run build` has made them, and the way
 * there from `/`.
 *
 * Files are read from disk for each request and never kept, so that the page costs the process no
 * memory. Their names hold hashes of their content, so browsers keep them for ever.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import sirv from 'sirv';
import type { PageSettings } from '../../client/page-settings.ts';

export interface ExplorerResponse {
  readonly status: number;
  /** Beside the content length: name, value, name, value. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export interface Explorer {
  /** The response to a browser that opens the page, or the root of the site; undefined for other requests. */
  page(incoming: IncomingMessage): ExplorerResponse | undefined;
  /** Serves a GET for one of the page's files; false when there is none of its name. */
  file(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
}

const PAGE = '/graphql';
const FILES = '/graphql/explorer/files/';

/** Whether a file of the page's is asked for. */
export const isExplorerFile = (url: string): boolean => url.startsWith(FILES);

const OFF = 'GraphiQL is switched off here (GRAPHIQL=off).';
const NOT_BUILT =
  'GraphiQL was not built here: run "npm ci" with the development packages, then "npm run build".';
const STILL_THERE = 'GraphQL itself is at this address, by POST.';

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
 * @param basePath what the paths of browsers begin with; the server has taken it off.
 * @param folder `dist/explorer`; undefined when there is none.
 * @param settings called for the first browser; undefined where no page is served.
 */
export function createExplorer(
  folder: string | undefined,
  settings: (() => PageSettings) | undefined,
  basePath = '',
): Explorer {
  const built = settings && folder && existsSync(join(folder, 'index.html')) ? folder : undefined;
  const toPage = redirectTo(`${basePath}${PAGE}`);
  let page: ExplorerResponse | undefined;
  const openPage = (): ExplorerResponse =>
    settings && built
      ? {
          status: 200,
          headers: PAGE_HEADERS,
          body: Buffer.from(pageIn(built, settings(), basePath)),
        }
      : { status: 404, headers: PAGE_HEADERS, body: noticePage(settings ? NOT_BUILT : OFF) };
  return {
    page: (incoming) => {
      if (!isOpenedByBrowser(incoming)) return undefined;
      const [path, query = ''] = (incoming.url ?? '').split('?');
      if (path === '/') return toPage;
      const isQuery = new URLSearchParams(query).has('query');
      return path === PAGE && !isQuery ? (page ??= openPage()) : undefined;
    },
    file: built ? filesIn(join(built, 'files')) : () => false,
  };
}

/** Browsers alone: for scripts there is nothing at the root. */
const redirectTo = (path: string): ExplorerResponse => ({
  status: 302,
  headers: ['location', path, 'cache-control', 'no-store', 'vary', 'accept'],
  body: Buffer.alloc(0),
});

const isOpenedByBrowser = ({ headers }: IncomingMessage): boolean =>
  /\btext\/html\b/i.test(headers.accept ?? '');

function filesIn(folder: string): Explorer['file'] {
  const serve = sirv(folder, {
    // Looks for each file when it is asked for: one that a new build has taken away is then not found. Otherwise
    // sirv opens what was there at start, and a file that is gone ends the process (an `error` nobody hears).
    dev: true,
    brotli: true,
    gzip: true,
    extensions: [],
    setHeaders: (outgoing) => {
      outgoing.setHeader('cache-control', 'public, max-age=31536000, immutable');
      outgoing.setHeader('x-content-type-options', 'nosniff');
      // Only this page may load its workers and modules.
      outgoing.setHeader('cross-origin-resource-policy', 'same-origin');
    },
  });
  return (incoming, outgoing) => {
    const { url = '' } = incoming;
    let isFound = true;
    // Mounted below the prefix, as connect and its kin do.
    incoming.url = url.slice(FILES.length - 1);
    serve(incoming, outgoing, () => {
      isFound = false;
    });
    incoming.url = url;
    return isFound;
  };
}

/** The page with its settings in the place that it keeps for them, and its files where they are served. */
function pageIn(folder: string, settings: PageSettings, basePath: string): string {
  // A `</script>` inside of it would end it.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  return readFileSync(join(folder, 'index.html'), 'utf8')
    .replaceAll('"./files/', `"${basePath}${FILES}`)
    .replace(/(<script id="settings"[^>]*>)[^<]*/, (_all, open: string) => open + json);
}

const noticePage = (notice: string): Buffer =>
  Buffer.from(
    `<!doctype html><html lang="en"><title>Content Pages · GraphQL</title><p>${notice.replaceAll('"', '&quot;')} ${STILL_THERE}</p></html>`,
  );
