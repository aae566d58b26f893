/**
 * CORS for named origins; none for anybody else.
 */
import type { YogaServerOptions } from 'graphql-yoga';

const EXPOSED_HEADERS = ['x-request-id', 'server-timing', 'retry-after'];

/** Seconds a browser may remember a preflight's answer: the most that all of them keep. */
const PREFLIGHT_SECONDS = 600;

/** Yoga's `cors` option. Without origins it is off, which is also the fastest. */
export function corsFor(
  origins: readonly string[],
): NonNullable<YogaServerOptions<{}, {}>['cors']> {
  if (origins.length === 0) return false;
  return (request) => {
    const origin = request.headers.get('origin');
    // Given a list, Yoga answers `null` to others, which sandboxed frames of any site match.
    if (origin === null || !origins.includes(origin)) return false;
    return {
      // Two, because Yoga writes `Vary: Origin` only where there is a choice.
      origin: [origin, origin],
      methods: ['GET', 'POST'],
      // Keys travel in a header that pages must set themselves: cookies are not wanted.
      credentials: false,
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: PREFLIGHT_SECONDS,
    };
  };
}
