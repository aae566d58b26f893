/**
 * The first lines of the log: where the gateway listens, and whether its backend answers.
 */
import type { Logger } from '../observe/logs/logger.ts';
import { probeUpstream, type UpstreamProbeOptions } from '../observe/logs/upstream-probe.ts';
import { isExplorerBuilt } from './build.ts';

interface AnnounceOptions extends UpstreamProbeOptions {
  readonly logger: Logger;
  /** Where the gateway listens, without a path. */
  readonly url: string;
  /** What its paths begin with, if anything. */
  readonly http: { readonly basePath: string };
  readonly isEmbedded: boolean;
  /** Recordings, which are there without being asked. @default none */
  readonly replay?: object | undefined;
  readonly tools: { readonly graphiql: boolean };
}

/** Logged at every level: the address that the gateway listens on. */
export async function announce(options: AnnounceOptions): Promise<void> {
  const { logger, url, http, origin, isEmbedded, replay, tools } = options;
  const unusable = replay ? undefined : await probeUpstream(options);
  if (unusable) logger.warn(unusable, 'The backend does not answer');
  if (isEmbedded) logger.info(`Embedded backend: its API is at ${origin}/v0/openapi.json`);
  const state = unusable ? 'Listening, but the backend does not answer' : 'Ready';
  const graphql = `${url}${http.basePath}/graphql`;
  const served = tools.graphiql && isExplorerBuilt() ? 'GraphQL and GraphiQL' : 'GraphQL';
  logger.child({}, { level: 'info' }).info({ url: graphql }, `${state}: ${served} at ${graphql}`);
}
