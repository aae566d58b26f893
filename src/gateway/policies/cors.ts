/**
 * CORS for the configured origins.
 *
 * Yoga's implementation needs Fetch API requests, and sends a single allowed origin to pages of all origins.
 */
import type { HeaderFields } from '../operation/operation.ts';
import { pairsOf } from '../operation/response.ts';
import type { Policy } from '../policy.ts';

const METHODS = 'GET, POST';

/** Cache time of a preflight, in seconds: the maximum of all browsers. */
const PREFLIGHT_SECONDS = '600';

/** Response headers that pages may read, in addition to those of the backend and of extensions. */
const READABLE = ['x-request-id', 'server-timing', 'retry-after'];

/**
 * Creates the CORS headers. Credentials are not allowed, since keys are sent in a header.
 *
 * @param exposed headers of the backend and of extensions in responses.
 */
export function createCors(origins: readonly string[], exposed: readonly string[]) {
  const readable = [...READABLE, ...exposed].join(', ');
  /** Headers of a response to a page of this origin: name, value, name, value. */
  const headersFor = (origin: string | null | undefined): readonly string[] => {
    // Caches must not serve one origin's response to another.
    const vary = ['vary', 'Origin'];
    if (origin == null || !origins.includes(origin)) return vary;
    return [
      ...vary,
      'access-control-allow-origin',
      origin,
      'access-control-expose-headers',
      readable,
    ];
  };
  return {
    headersFor,
    /** Headers of a preflight's response: name, value, name, value. */
    preflightHeaders(requested: HeaderFields): readonly string[] {
      const headers = [...headersFor(requested['origin'] as string | undefined)];
      if (headers.length === 2) return headers;
      headers.push('access-control-allow-methods', METHODS);
      headers.push('access-control-max-age', PREFLIGHT_SECONDS);
      const names = requested['access-control-request-headers'];
      if (typeof names === 'string') headers.push('access-control-allow-headers', names);
      return headers;
    },
    /** Adds the headers to a response of the Fetch API. */
    addTo(response: Response, requested: Headers): void {
      for (const [name, value] of pairsOf(headersFor(requested.get('origin')))) {
        response.headers.append(name, value);
      }
    },
  };
}

export type Cors = ReturnType<typeof createCors>;

/** Reports the origin of a page that may not call the gateway. */
export type OnForeignOrigin = (origin: string) => void;

/** @param allowed undefined if no other origin is allowed. */
export const cors = (allowed: Cors | undefined): Policy =>
  allowed
    ? {
        onAnswer(operation, { headers }) {
          headers.push(...allowed.headersFor(operation.header('origin')));
        },
      }
    : {};

/**
 * Whether a page's origin is allowed, for requests without a preflight. Only browsers send an origin, and pages cannot
 * forge it.
 */
export const mayAsk = (
  origin: string | undefined,
  host: string | undefined,
  corsOrigins: readonly string[],
): boolean =>
  origin === undefined ||
  corsOrigins.includes(origin) ||
  (host !== undefined && isOwn(origin, host));

/** Compares as URLs, since proxies and programs add default ports and capitals to `Host`. */
function isOwn(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: own } = new URL(origin);
  const requested = `${protocol}//${host}`;
  return URL.canParse(requested) && new URL(requested).host === own;
}
