/**
 * The first lines of the log: where the gateway listens, and whether its backend answers.
 */
import type { Logger } from '../observe/logger.ts';
import { probeUpstream, type UpstreamProbeOptions } from '../observe/upstream-probe.ts';

interface AnnounceOptions extends UpstreamProbeOptions {
  readonly logger: Logger;
  /** Where the gateway listens, without a path. */
  readonly url: string;
  readonly isEmbedded: boolean;
}

/** Logged at every level: the address that the gateway listens on. */
export async function announce(options: AnnounceOptions): Promise<void> {
  const { logger, url, origin, isEmbedded } = options;
  const unusable = await probeUpstream(options);
  if (unusable) logger.warn(unusable, 'The backend does not answer');
  if (isEmbedded) logger.info(`Embedded backend: its API is at ${origin}/v0/openapi.json`);
  const state = unusable ? 'Listening, but the backend does not answer' : 'Ready';
  const graphql = `${url}/graphql`;
  logger
    .child({}, { level: 'info' })
    .info({ url: graphql }, `${state}: GraphQL and GraphiQL at ${graphql}`);
}
