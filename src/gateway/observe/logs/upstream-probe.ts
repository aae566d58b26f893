/**
 * Asks the backend once, when the process starts, so that the log says at once where nothing responds.
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
  /** Without one the backend responds with 401, which is a response. */
  readonly apiKey: string | undefined;
}

/** The reason why the backend cannot be used, for logs only: it names the host. */
export type Unusable = Readonly<Record<string, string | number>>;

/** Asks the cheapest route; undefined where there is a response, an error of the client's too; a redirect leads nowhere. */
export async function probeUpstream({
  origin,
  pathPrefix,
  connections,
  apiKey,
}: UpstreamProbeOptions): Promise<Unusable | undefined> {
  const { protocol, hostname: host, port } = new URL(origin);
  const address = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  const dispatcher = new BackendDispatcher(origin, connections);
  try {
    const { statusCode } = await dispatcher.request({
      method: 'GET',
      path: `${pathPrefix}${probeRoute.path}?limit=1`,
      headers: { accept: 'application/json', ...(apiKey && { [API_KEY_HEADER]: apiKey }) },
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
