/**
 * CORS for the configured origins.
 *
 * Preflights are answered by this policy alone. Without these headers in the answer, the browser
 * refuses the page's request.
 */
export interface Cors {
  /** For any answer to a page of this origin: name, value, name, value. */
  headersFor(origin: string | null | undefined): readonly string[];
  /** For a preflight. */
  preflightHeadersFor(
    origin: string | null | undefined,
    requestedHeaders: string | null | undefined,
  ): readonly string[];
}

const METHODS = 'GET, POST';

/** Seconds a browser may remember a preflight's answer: the most that all of them keep. */
const PREFLIGHT_SECONDS = '600';

const NONE: readonly string[] = [];
/** Without it a cache would give one origin's answer to another. */
const VARY: readonly string[] = ['vary', 'Origin'];

/** Keys travel in a header that pages must set themselves, so cookies are not allowed. */
export function corsFor(origins: readonly string[]): Cors {
  const headersFor: Cors['headersFor'] = (origin) => {
    if (origins.length === 0) return NONE;
    if (origin == null || !origins.includes(origin)) return VARY;
    return [
      ...VARY,
      'access-control-allow-origin',
      origin,
      'access-control-expose-headers',
      'x-request-id, server-timing, retry-after',
    ];
  };
  return {
    headersFor,
    preflightHeadersFor: (origin, requestedHeaders) => {
      const headers = headersFor(origin);
      if (headers.length <= VARY.length) return headers;
      return [
        ...headers,
        'access-control-allow-methods',
        METHODS,
        'access-control-max-age',
        PREFLIGHT_SECONDS,
        ...(requestedHeaders ? ['access-control-allow-headers', requestedHeaders] : []),
      ];
    },
  };
}
