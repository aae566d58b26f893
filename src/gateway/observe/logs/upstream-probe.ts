/**
 * Calls the backend once at start, to log an unreachable backend early.
 */
import { API_KEY_HEADER } from '../../../v0/api-key.ts';
import type { ConnectionOptions } from '../../../rest/transport/connections.ts';
import { BackendDispatcher } from '../../../rest/transport/dispatcher.ts';
import { codeOf } from '../../../rest/transport/transport-fault.ts';
import { probeRoute } from '../../../v0/routes.ts';

/** Timeout in milliseconds. */
const PROBE_MS = 1_000;

export interface UpstreamProbeOptions {
  /** `https://api.example.com`. */
  readonly origin: string;
  readonly pathPrefix: string;
  readonly connections?: ConnectionOptions;
  /** Without a key the backend responds with 401, which proves that it is there. */
  readonly apiKey: string | undefined;
  readonly userAgent: string;
}

/** Why the backend cannot be used; for logs only, since it contains the host. */
export type Unusable = Readonly<Record<string, string | number>>;

/**
 * Calls the cheapest route. Returns undefined for any response below 500, including client errors, but not for
 * redirects.
 */
export async function probeUpstream({
  origin,
  pathPrefix,
  connections,
  apiKey,
  userAgent,
}: UpstreamProbeOptions): Promise<Unusable | undefined> {
  const { protocol, hostname: host, port } = new URL(origin);
  const address = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  const dispatcher = new BackendDispatcher(origin, connections);
  try {
    const { statusCode } = await dispatcher.request({
      method: 'GET',
      path: `${pathPrefix}${probeRoute.path}?limit=1`,
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(apiKey && { [API_KEY_HEADER]: apiKey }),
      },
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const isAnswer = statusCode < 500 && (statusCode < 300 || statusCode > 399);
    return isAnswer ? undefined : { ...address, status: statusCode };
  } catch (error) {
    const { name } = error as Error;
    return { ...address, code: codeOf(error) || (name === 'TimeoutError' ? 'timeout' : name) };
  } finally {
    await dispatcher.destroy();
  }
}
