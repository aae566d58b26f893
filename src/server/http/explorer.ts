/**
 * GraphiQL's files, as `npm run build` has made them: the page at `/graphql`, the rest below it.
 *
 * Files are read from disk for each request and never held, so the page costs the process no memory.
 * Their names hold hashes of their content: browsers keep them for ever.
 */
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream';

/** What the page is told, as JSON in the page. */
export interface ExplorerSettings {
  readonly introspection: boolean;
  readonly explain: 'on' | 'keys' | 'off';
  /** The key of the sample data. */
  readonly apiKey?: string | undefined;
  /** A page of the sample data. */
  readonly pageId?: string | undefined;
}

const PREFIX = '/graphql/explorer/';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};

/** The editor writes styles into the page; nothing else comes from anywhere but here. */
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
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
  vary: 'accept',
};

/** @param folder `dist/explorer`. */
export function explorerFiles(folder: string, settings: ExplorerSettings | false) {
  const page =
    settings && existsSync(join(folder, 'index.html')) ? pageIn(folder, settings) : undefined;
  const files = settings && page ? filesIn(folder) : new Map<string, ServedFile>();
  const notice = settings
    ? 'GraphiQL is not built: run "npm run build". GraphQL itself is here, by POST.'
    : 'GraphiQL is switched off here (GRAPHIQL=off). GraphQL itself is here, by POST.';

  /** Answers a request for the page or one of its files; false when it is neither. */
  return (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
    const { method, url = '' } = incoming;
    if (method !== 'GET' && method !== 'HEAD') return false;
    if (url.startsWith(PREFIX)) {
      const file = files.get(url.slice(PREFIX.length));
      if (!file) return false;
      sendFile(incoming, outgoing, file);
      return true;
    }
    if (!isPageRequest(incoming)) return false;
    const body = Buffer.from(page ?? `<!doctype html><title>GraphQL</title><p>${notice}</p>`);
    outgoing.writeHead(page || settings === false ? 200 : 503, {
      ...PAGE_HEADERS,
      'content-length': body.length,
    });
    outgoing.end(method === 'HEAD' ? undefined : body);
    return true;
  };
}

/** A browser that opens the address, and does not send a query in it. */
function isPageRequest({ url = '', headers }: IncomingMessage): boolean {
  const [path, query = ''] = url.split('?');
  return (
    path === '/graphql' &&
    !new URLSearchParams(query).has('query') &&
    /\btext\/html\b/.test(headers.accept ?? '')
  );
}

interface ServedFile {
  readonly path: string;
  readonly type: string;
  readonly size: number;
  /** Encodings beside the file itself, the smallest first. */
  readonly encoded: readonly {
    readonly encoding: string;
    readonly path: string;
    readonly size: number;
  }[];
}

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

function filesIn(folder: string): Map<string, ServedFile> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[extname(name)];
      if (!type) return [];
      const path = join(folder, name);
      const encoded = ENCODINGS.flatMap(([encoding, ending]) =>
        existsSync(path + ending)
          ? [{ encoding, path: path + ending, size: statSync(path + ending).size }]
          : [],
      );
      return [[name.replaceAll('\\', '/'), { path, type, size: statSync(path).size, encoded }]];
    }),
  );
}

function sendFile(incoming: IncomingMessage, outgoing: ServerResponse, file: ServedFile): void {
  const accepted = String(incoming.headers['accept-encoding'] ?? '');
  const encoded = file.encoded.find(({ encoding }) =>
    new RegExp(`\\b${encoding}\\b`).test(accepted),
  );
  outgoing.writeHead(200, {
    'content-type': file.type,
    'content-length': (encoded ?? file).size,
    ...(encoded && { 'content-encoding': encoded.encoding }),
    vary: 'accept-encoding',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  });
  if (incoming.method === 'HEAD') outgoing.end();
  else pipeline(createReadStream((encoded ?? file).path), outgoing, () => {});
}

/** The page with its settings in the place that it keeps for them. */
function pageIn(folder: string, settings: ExplorerSettings): string {
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  return readFileSync(join(folder, 'index.html'), 'utf8').replace(
    /(<script id="settings"[^>]*>)[^<]*/,
    (_all, open: string) => open + json,
  );
}
