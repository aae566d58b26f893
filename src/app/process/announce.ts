/**
 * First lines of the log: the gateway's address, and whether its backend responds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../gateway/observe/logs/logger.ts';
import type { Presence } from '../../gateway/observe/logs/presence.ts';
import {
  probeUpstream,
  type UpstreamProbeOptions,
} from '../../gateway/observe/logs/upstream-probe.ts';
import { isExplorerBuilt } from './build.ts';

/** Interval of probes after a failed one at the start, in milliseconds. */
const PAUSE_MS = 5_000;

interface AnnounceOptions extends UpstreamProbeOptions {
  readonly logger: Logger;
  readonly presence: Presence;
  /** URL of the gateway, without a path. */
  readonly url: string;
  /** Prefix of its paths; may be empty. */
  readonly http: { readonly basePath: string };
  /** The backend in words. */
  readonly label: string;
  /** Logged in place of the label. @default none */
  readonly warnings: readonly string[];
  readonly isEmbedded: boolean;
  /** What answers in place of a backend, which is not probed. @default none */
  readonly standIn?: object | undefined;
  readonly tools: { readonly graphiql: boolean };
}

/** Logs the backend and the gateway's address, at every level. */
export async function announce(options: AnnounceOptions): Promise<void> {
  const { logger, presence, url, http, origin, label, warnings, isEmbedded, standIn, tools } =
    options;
  const always = logger.child({}, { level: 'info' });
  for (const warning of warnings) always.warn(warning);
  if (warnings.length === 0) always.info(`Backend: ${label}`);
  const unusable = standIn ? undefined : await probeUpstream(options);
  if (unusable) {
    logger.warn(unusable, 'Backend unavailable');
    presence.noticeAbsence();
    void awaitAnswer(options);
  }
  if (isEmbedded) logger.info(`Backend API: ${origin}/v0/openapi.json`);
  const state = unusable ? 'Listening, but the backend is unavailable' : 'Ready';
  const graphql = `${url}${http.basePath}/graphql`;
  const served = tools.graphiql && isExplorerBuilt() ? 'GraphQL and GraphiQL' : 'GraphQL';
  always.info({ url: graphql }, `${state}: ${served} at ${graphql}`);
}

/** Probes until the backend has answered, or a call has. */
async function awaitAnswer(options: AnnounceOptions): Promise<void> {
  const { presence } = options;
  for (;;) {
    await sleep(PAUSE_MS, undefined, { ref: false });
    if (!presence.isAbsent) return;
    if (!(await probeUpstream(options))) return presence.noticeAnswer();
  }
}
