/** First lines of the log: the backend, whether it is available, and the gateway's address. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../gateway/observe/logs/logger.ts';
import type { Readiness } from '../../gateway/observe/readiness.ts';
import { BackendDispatcher } from '../../rest/transport/dispatcher.ts';
import { codeOf } from '../../rest/transport/transport-fault.ts';
import { API_KEY_HEADER } from '../../v0/api-key.ts';
import { probeRoute } from '../../v0/routes.ts';
import type { OpenedBackend } from '../open-backend.ts';
import { isExplorerBuilt } from './build.ts';

/** Interval of probes after a failed one at the start, in milliseconds. */
const PAUSE_MS = 5_000;

/** Timeout of a probe, in milliseconds. */
const PROBE_MS = 1_000;

interface AnnounceOptions {
  readonly backend: OpenedBackend;
  readonly userAgent: string;
  readonly logger: Logger;
  readonly readiness: Readiness;
  /** URL of `/graphql`. */
  readonly url: string;
  /** Logged instead of the backend's label. @default none */
  readonly warnings: readonly string[];
  /** Replaces the backend, and is not probed. @default none */
  readonly standIn?: object | undefined;
  readonly graphiql: boolean;
}

/** Logs the backend and the gateway's address, at every level. */
export async function announce(options: AnnounceOptions): Promise<void> {
  const { backend, logger, readiness, url, warnings, standIn, graphiql } = options;
  const always = logger.child({}, { level: 'info' });
  for (const warning of warnings) always.warn(warning);
  if (warnings.length === 0) always.info(`Backend: ${backend.label}`);
  const failure = standIn ? undefined : await probe(options);
  if (failure) {
    logger.warn(failure, 'Backend unavailable');
    readiness.recordFailure();
    void probeUntilAvailable(options);
  }
  if (backend.isEmbedded) logger.info(`Backend API: ${backend.origin}/v0/openapi.json`);
  const state = failure ? 'Listening, but the backend is unavailable' : 'Ready';
  const served = graphiql && isExplorerBuilt() ? 'GraphQL and GraphiQL' : 'GraphQL';
  always.info({ url }, `${state}: ${served} at ${url}`);
}

/** Probes until the backend has responded to a probe or to a call. */
async function probeUntilAvailable(options: AnnounceOptions): Promise<void> {
  const { readiness } = options;
  for (;;) {
    await sleep(PAUSE_MS, undefined, { ref: false });
    if (!readiness.isOutage) return;
    if (!(await probe(options))) return readiness.recordResponse();
  }
}

/**
 * Calls the cheapest route. Returns undefined for any response below 500, including client errors, but not for
 * redirects; otherwise what failed, for logs only, since it contains the host.
 */
async function probe({
  backend,
  userAgent,
}: AnnounceOptions): Promise<Readonly<Record<string, string | number>> | undefined> {
  // Without a key the backend responds with 401, which proves that it is available.
  const { origin, pathPrefix, connections, apiKey } = backend;
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
    const isAvailable = statusCode < 500 && (statusCode < 300 || statusCode > 399);
    return isAvailable ? undefined : { ...address, status: statusCode };
  } catch (error) {
    const { name } = error as Error;
    return { ...address, code: codeOf(error) || (name === 'TimeoutError' ? 'timeout' : name) };
  } finally {
    await dispatcher.destroy();
  }
}
