/**
 * The list of extensions, each a folder of `extensions/`.
 *
 * An extension is connected by one line: its settings (undefined if it is off) and its module, which is loaded only if
 * it is on.
 */
import type { Extension, Host, Open } from '../gateway/extension.ts';
import type { Config } from './config.ts';
import * as settings from './extension-settings.ts';

interface Line {
  open(config: Config, host: Host): Promise<Extension | undefined>;
}

/** In the order of opening and nesting. */
const EXTENSIONS: readonly Line[] = [
  line(settings.recording, () => import('../extensions/recording/recording.extension.ts')),
  line(settings.redis, () => import('../extensions/redis/redis.extension.ts')),
  line(settings.cache, () => import('../extensions/cache/cache.extension.ts')),
  line(settings.federation, () => import('../extensions/federation/federation.extension.ts')),
  line(settings.traces, () => import('../extensions/traces/traces.extension.ts')),
  line(settings.mcp, () => import('../extensions/mcp/mcp.extension.ts')),
];

/**
 * Opens the extensions that are on.
 *
 * @throws {OperatorError} for invalid settings of an extension.
 */
export async function openExtensions(
  config: Config,
  host: Omit<Host, 'opened' | 'backend'> & {
    readonly backend: (opened: readonly Extension[]) => ReturnType<Host['backend']>;
  },
): Promise<readonly Extension[]> {
  const opened: Extension[] = [];
  const backend = () => host.backend(opened);
  for (const { open } of EXTENSIONS) {
    const extension = await open(config, { ...host, backend, opened });
    if (extension) opened.push(extension);
  }
  return opened;
}

function line<Settings>(
  settingsOf: (config: Config) => Settings | undefined,
  load: () => Promise<{ readonly open: Open<Settings> }>,
): Line {
  return {
    async open(config, host) {
      const given = settingsOf(config);
      if (given === undefined) return undefined;
      const { open } = await load();
      return open(given, host);
    },
  };
}
