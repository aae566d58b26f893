/**
 * GraphiQL: the page at `/graphql`, the files of its build, and the redirect from `/`.
 *
 * Files are read from disk for each request and take no memory. Their names contain hashes, so browsers cache them
 * permanently.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { printSchema, type GraphQLSchema } from 'graphql';
import sirv from 'sirv';
import type { PageSettings } from '../../client/page-settings.ts';
import { negotiateCoding } from '../operation/negotiation.ts';

export interface Explorer {
  /** The response to a browser's request of the page or of `/`; undefined for other requests. */
  page(incoming: IncomingMessage): Response | undefined;
  /** Serves a GET of one of the page's files; false if there is no such file. */
  file(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
}

const PAGE = '/graphql';
const FILES = '/graphql/explorer/files/';

/** Whether a path can be that of a page's file: `sirv` would normalise others. */
export const isExplorerFile = (path: string): boolean =>
  path.startsWith(FILES) && /^[\w.-]+$/.test(path.slice(FILES.length));

const OFF = 'GraphiQL is disabled (GRAPHIQL=off).';
const NOT_BUILT =
  'GraphiQL is not built. Run "npm ci" with the development packages, then "npm run build".';
const HINT = 'Send GraphQL requests to this URL by POST.';

/** Content Security Policy: inline styles for the editor, everything else from this gateway. */
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

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  // Clickjacking protection for browsers without `frame-ancestors`.
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
  vary: 'accept',
};

interface ExplorerOptions {
  readonly schema: GraphQLSchema;
  readonly tools: Pick<PageSettings, 'introspection' | 'explain'> & { readonly graphiql: boolean };
  readonly needsKey: boolean;
  /** Prefix of browsers' paths, which the server has removed. */
  readonly basePath: string;
  /** Build and the initial content of the page; undefined if there is none. */
  readonly explorer: (Partial<PageSettings> & { readonly folder: string }) | undefined;
}

/** GraphiQL, or a page that explains why it is missing. */
export function openExplorer(options: ExplorerOptions): Explorer {
  const { schema, tools, needsKey, basePath, explorer } = options;
  const { graphiql, introspection, explain } = tools;
  const { folder, ...example } = explorer ?? {};
  const isBuilt = folder !== undefined && existsSync(join(folder, 'index.html'));
  const built = graphiql && isBuilt ? folder : undefined;
  const openPage = (): string => {
    if (built === undefined) return noticePage(graphiql ? NOT_BUILT : OFF);
    const schemaId = introspection === 'off' ? {} : { schemaId: schemaIdOf(schema) };
    const settings = { introspection, explain, needsKey, ...schemaId, ...example };
    return pageIn(built, settings, basePath);
  };
  let page: string | undefined;
  return {
    page: (incoming) => {
      if (!isOpenedByBrowser(incoming)) return undefined;
      const [path, query = ''] = (incoming.url ?? '').split('?');
      // For browsers only; other clients get 404 at `/`.
      if (path === '/') {
        const location = `${basePath}${PAGE}`;
        const headers = { location, 'cache-control': 'no-store', vary: 'accept' };
        return new Response(null, { status: 302, headers });
      }
      if (path !== PAGE || new URLSearchParams(query).has('query')) return undefined;
      // At the first request: printing the schema takes time.
      page ??= openPage();
      return new Response(page, { status: built === undefined ? 404 : 200, headers: PAGE_HEADERS });
    },
    file: built === undefined ? () => false : filesIn(join(built, 'files')),
  };
}

const schemaIdOf = (schema: GraphQLSchema): string =>
  createHash('sha256').update(printSchema(schema)).digest('base64url');

const isOpenedByBrowser = ({ headers }: IncomingMessage): boolean =>
  /\btext\/html\b/i.test(headers.accept ?? '');

function filesIn(folder: string): Explorer['file'] {
  const serve = sirv(folder, {
    // Looks up each file per request. Otherwise sirv opens the files found at start, and a file that a new build has
    // removed ends the process with an unhandled `error` event.
    dev: true,
    brotli: true,
    gzip: true,
    extensions: [],
    setHeaders: (outgoing) => {
      outgoing.setHeader('cache-control', 'public, max-age=31536000, immutable');
      outgoing.setHeader('x-content-type-options', 'nosniff');
      // Workers and modules are for this page only.
      outgoing.setHeader('cross-origin-resource-policy', 'same-origin');
    },
  });
  return (incoming, outgoing) => {
    const { url = '' } = incoming;
    let isFound = true;
    // Removes the mount path, as connect does.
    incoming.url = url.slice(FILES.length - 1);
    // sirv ignores qualities, so it would send a coding with `q=0`.
    const { headers } = incoming;
    headers['accept-encoding'] = negotiateCoding(headers['accept-encoding']) ?? '';
    serve(incoming, outgoing, () => {
      isFound = false;
    });
    incoming.url = url;
    return isFound;
  };
}

/** Fills in the settings and the URLs of files. */
function pageIn(folder: string, settings: PageSettings, basePath: string): string {
  // Escapes `</script>`.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  return readFileSync(join(folder, 'index.html'), 'utf8')
    .replaceAll('"./files/', `"${basePath}${FILES}`)
    .replace(/(<script id="settings"[^>]*>)[^<]*/, (_all, open: string) => open + json);
}

const noticePage = (notice: string): string =>
  `<!doctype html><html lang="en"><title>Content Pages · GraphQL</title><p>${notice.replaceAll('"', '&quot;')} ${HINT}</p></html>`;
