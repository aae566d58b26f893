/** Reports to GraphQL Hive: nothing is loaded for them where HIVE_TOKEN is not set. */
import type { Logger } from '../../observe/logs/logger.ts';

interface HiveSettings {
  readonly token: string | undefined;
  readonly endpoint: string;
}

/** @param version of the gateway. */
export async function openHive({ token, endpoint }: HiveSettings, version: string, logger: Logger) {
  if (token === undefined) return undefined;
  const { Hive } = await import('./hive.ts');
  return new Hive({
    ...{ token, endpoint, version },
    onRefused: (why, lost) =>
      logger.warn({ why, lost }, 'Usage cannot be reported: HIVE_ENDPOINT does not take it'),
  });
}
