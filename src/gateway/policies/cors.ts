/**
 * CORS for the configured origins.
 *
 * Yoga's own reads requests of the Fetch API, and names the one allowed origin to pages of every other.
 */
import type { HeaderFields } from '../operation/operation.ts';
import { pairsOf } from '../operation/response.ts';
import type { Policy } from '../pipeline.ts';

const METHODS = 'GET, POST';

/** Seconds a browser may keep the response to a preflight: the most that all of them keep. */
const PREFLIGHT_SECONDS = '600';

/** Headers of responses that pages may read, beside those of the backend. */
const READABLE = [
  ...['x-request-id', 'server-timing', 'x-consistency', 'retry-after'],
  ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'],
];

/**
 * What pages of other origins may read. Keys travel in a header that pages must set themselves, so cookies are not
 * allowed.
 *
 * @param exposed headers of the backend that responses have.
 */
export function createCors(origins: readonly string[], exposed: readonly string[]) {
  const readable = [...READABLE, ...exposed].join(', ');
  /** For any response to a page of this origin: name, value, name, value. */
  const headersFor = (origin: string | null | undefined): readonly string[] => {
    // Without it a cache would give one origin's response to another.
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
    /** Of the response to a preflight: name, value, name, value. */
    preflightHeaders(asked: HeaderFields): readonly string[] {
      const headers = [...headersFor(asked['origin'] as string | undefined)];
      if (headers.length === 2) return headers;
      headers.push('access-control-allow-methods', METHODS);
      headers.push('access-control-max-age', PREFLIGHT_SECONDS);
      const requested = asked['access-control-request-headers'];
      if (typeof requested === 'string') headers.push('access-control-allow-headers', requested);
      return headers;
    },
    /** For a response of the Fetch API. */
    addTo(response: Response, asked: Headers): void {
      for (const [name, value] of pairsOf(headersFor(asked.get('origin')))) {
        response.headers.append(name, value);
      }
    },
  };
}

export type Cors = ReturnType<typeof createCors>;

/** @param allowed undefined where no page of another origin may read. */
export const cors = (allowed: Cors | undefined): Policy =>
  allowed
    ? {
        respond(operation, { headers }) {
          headers.push(...allowed.headersFor(operation.header('origin')));
        },
      }
    : {};

/** Whether a page may ask where browsers ask no permission. Only browsers send an origin, and no page can forge one. */
export const mayAsk = (
  origin: string | undefined,
  host: string | undefined,
  corsOrigins: readonly string[],
): boolean =>
  origin === undefined ||
  corsOrigins.includes(origin) ||
  (URL.canParse(origin) && new URL(origin).host === host);
