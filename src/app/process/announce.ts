/**
 * The first lines of the log: where the gateway listens, and whether its backend answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../gateway/observe/logs/logger.ts';
import {
  probeUpstream,
  type UpstreamProbeOptions,
} from '../../gateway/observe/logs/upstream-probe.ts';
import { isExplorerBuilt } from './build.ts';

/** Interval of probes after a failed one at the start, in milliseconds. */
const PAUSE_MS = 5_000;

interface AnnounceOptions extends UpstreamProbeOptions {
  readonly logger: Logger;
  /** Where the gateway listens, without a path. */
  readonly url: string;
  /** What its paths begin with, if anything. */
  readonly http: { readonly basePath: string };
  /** What the gateway stands in front of, in words. */
  readonly label: string;
  /** Logged in place of the label. @default none */
  readonly warnings: readonly string[];
  readonly isEmbedded: boolean;
  /** Recordings, which are there without being asked. @default none */
  readonly replay?: object | undefined;
  readonly tools: { readonly graphiql: boolean };
}

/** Logged at every level: the backend, and the address that the gateway listens on. */
export async function announce(options: AnnounceOptions): Promise<void> {
  const { logger, url, http, origin, label, warnings, isEmbedded, replay, tools } = options;
  const always = logger.child({}, { level: 'info' });
  for (const warning of warnings) always.warn(warning);
  if (warnings.length === 0) always.info(`The backend is ${label}`);
  const unusable = replay ? undefined : await probeUpstream(options);
  if (unusable) {
    logger.warn(unusable, 'The backend does not answer');
    void logAnswer(options);
  }
  if (isEmbedded) logger.info(`The API of the backend is at ${origin}/v0/openapi.json`);
  const state = unusable ? 'Listening, but the backend does not answer' : 'Ready';
  const graphql = `${url}${http.basePath}/graphql`;
  const served = tools.graphiql && isExplorerBuilt() ? 'GraphQL and GraphiQL' : 'GraphQL';
  always.info({ url: graphql }, `${state}: ${served} at ${graphql}`);
}

/** Probes until the backend answers, and logs that. */
async function logAnswer(options: AnnounceOptions): Promise<void> {
  do await sleep(PAUSE_MS, undefined, { ref: false });
  while (await probeUpstream(options));
  options.logger.info('The backend answers now');
}
